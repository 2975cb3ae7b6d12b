/**
 * The chart of deploy/helm renders the same objects as k8s/overlays/prod and its migrations, except for the namespace; values
 * change what their descriptions say, and unknown values are refused.
 */
import { join } from 'node:path';
import { root } from './lanyard/project.ts';
import { conclude } from './lanyard/project-files.ts';
import { apps } from './lanyard/service-processes.ts';
import { differences } from './manifests/compare.ts';
import { infrastructurePortProblems } from './manifests/infrastructure-ports.ts';
import { manifestEnvironmentProblems } from './manifests/environment.ts';
import { findHelm, renderChart, withoutHooks } from './manifests/helm.ts';
import { buildKustomization, type Manifest } from './manifests/kustomize.ts';
import { coverageProblems, migrationProblems, referenceProblems, workloadProblems } from './manifests/policies.ts';
import { scalingProblems } from './manifests/scaling.ts';
import { schemaProblems } from './manifests/schemas.ts';
import { waveProblems } from './manifests/waves.ts';

/** @param components that a copy of the overlay may add */
const overlay = (components: string[]) =>
  [
    ...buildKustomization(
      join(root, 'k8s/overlays/prod'),
      components.map((name) => join(root, 'k8s/components', name)),
    ),
    ...buildKustomization(join(root, 'k8s/overlays/prod/migrations')),
  ].filter(({ kind }) => kind !== 'Namespace');

const againstOverlay = (helm: string, values: string[] = [], components: string[] = []) =>
  differences(overlay(components), withoutHooks(renderChart(helm, ...values)), 'deploy/helm');

/** Values that have the same effect as components of the overlay. */
const asComponents: [values: string, component: string][] = [
  ['devices.expose=routes', 'device-routes'],
  [
    'campaigns.storage=bucket,config.campaigns.CAMPAIGNS_S3_BUCKET=lanyard-firmware-images,services.campaigns.replicas=1',
    'campaigns-bucket',
  ],
];

/** Tests the comparison itself: it has to find exactly the differences that these values make. */
const planted: [values: string[], found: string[]][] = [
  [
    ['--set', 'services.dispatcher.tag=0.1.1', '--set', 'migrations=true'],
    [
      'Deployment dispatcher: /spec/template/spec/containers/0/image',
      'Job migrate-dispatcher: /spec/template/spec/containers/0/image',
    ],
  ],
  [
    ['--set', 'config.common.LOG_LEVEL=debug', '--set', 'services.registry.replicas=5'],
    ['ConfigMap lanyard-common: /data/LOG_LEVEL', 'Deployment registry: /spec/replicas'],
  ],
  [['--set', 'services.snapshot.heapMiB=300'], ['ConfigMap lanyard-snapshot: /data/NODE_OPTIONS']],
  [
    ['--set-json', 'config.dispatcher.DISPATCHER_CALLBACK_ALLOW_CIDRS="10.1.0.0/16, fd00::/8"'],
    [
      'ConfigMap lanyard-dispatcher: /data/DISPATCHER_CALLBACK_ALLOW_CIDRS',
      'NetworkPolicy callbacks: /spec/egress/0/to/2',
      'NetworkPolicy callbacks: /spec/egress/0/to/3',
    ],
  ],
  [
    ['--set-json', 'patches=[{"kind":"PodDisruptionBudget","name":"gateway","merge":{"spec":{"maxUnavailable":2}}}]'],
    ['PodDisruptionBudget gateway: /spec/maxUnavailable'],
  ],
  [
    [
      '--set-json',
      'services.gateway.pod={"spec":{"affinity":null,"containers":[{"name":"gateway","env":[{"name":"REPLICA_ID","value":"a"},{"name":"B","value":"b"}]}]}}',
    ],
    [
      'Deployment gateway: /spec/template/spec/affinity',
      'Deployment gateway: /spec/template/spec/containers/0/env/0/value',
      'Deployment gateway: /spec/template/spec/containers/0/env/0/valueFrom',
      'Deployment gateway: /spec/template/spec/containers/0/env/7',
    ],
  ],
  [
    ['--set-string', 'config.common.DATABASE_TLS_ENABLED=false'],
    [
      'ConfigMap lanyard-common: /data/DATABASE_TLS_ENABLED',
      ...apps.map((app) => `Job migrate-${app}: /spec/template/spec/containers/0/env/2/value`),
    ],
  ],
  [
    ['--set', 'config.common.DATABASE_TLS_CERTIFICATE_FILE=/etc/lanyard/database/tls.crt'],
    [
      'ConfigMap lanyard-common: /data/DATABASE_TLS_CERTIFICATE_FILE',
      ...apps.map((app) => `Job migrate-${app}: /spec/template/spec/containers/0/env/4`),
    ],
  ],
  [
    [
      '--set',
      'config.common.KAFKA_TLS_CERTIFICATE_FILE=/etc/lanyard/kafka/tls.crt,config.common.KAFKA_TLS_PRIVATE_KEY_FILE=/etc/lanyard/kafka/tls.key',
      '--set',
      'kafkaClientSecret=kafka-client',
    ],
    [
      'ConfigMap lanyard-common: /data/KAFKA_TLS_CERTIFICATE_FILE',
      'ConfigMap lanyard-common: /data/KAFKA_TLS_PRIVATE_KEY_FILE',
      'TriggerAuthentication kafka: /spec/secretTargetRef/3',
      'TriggerAuthentication kafka: /spec/secretTargetRef/4',
    ],
  ],
  [
    ['--set', 'dnsPort=5353'],
    ['NetworkPolicy dns: /spec/egress/0/ports/0/port', 'NetworkPolicy dns: /spec/egress/0/ports/1/port'],
  ],
];

const plantedProblems = (helm: string) =>
  planted.flatMap(([values, wanted]) => {
    const found = againstOverlay(helm, values);
    const expected = wanted.map((object) => `deploy/helm makes another ${object}`);
    return found.toSorted().join() === expected.toSorted().join()
      ? []
      : [`deploy/helm with ${values.join(' ')}: ${found.join('; ')}`];
  });

/** `--set` reads a number as an integer; `--set-json` reads it as values files and the stored values of a release do. */
const numberProblems = (helm: string) => {
  const number = 'config.gateway.GATEWAY_OIDC_CLIENT_ID=12345678';
  const [integer, float] = [renderChart(helm, '--set', number), renderChart(helm, '--set-json', number)];
  return differences(integer, float, `--set-json ${number}`);
};

const isJob = ({ kind }: Manifest) => kind === 'Job';

const isRefused = (helm: string, ...values: string[]) => {
  try {
    renderChart(helm, ...values);
    return false;
  } catch {
    return true;
  }
};

/** Other choices that the values offer must be valid and consistent as well. */
const variants = [
  ['--values', 'deploy/helm/examples/managed-infrastructure.yaml'],
  [
    '--set',
    'config.common.KAFKA_TLS_ENABLED=false,config.common.KAFKA_TLS_CA_FILE=,config.common.KAFKA_SASL_MECHANISM=',
  ],
  // Spelled as the documentation of Kafka and of most providers does.
  ['--set', 'config.common.KAFKA_SASL_MECHANISM=SCRAM-SHA-512'],
  // Services drop the blanks.
  ['--set-json', 'config.common.KAFKA_BROKERS="b-1.kafka.acme.example:9096 , b-2.kafka.acme.example:9097"'],
  ['--set', 'expose=none,devices.tls=false,monitoring.enabled=false,migrations=false'],
  ['--set', 'devices.expose=none,devices.tlsSecret=,campaigns.accessMode=ReadWriteMany,services.campaigns.replicas=2'],
  [
    '--set',
    'config.gateway.GATEWAY_OIDC_ISSUER=https://id.acme.example:8443/realms/iot,config.gateway.GATEWAY_OIDC_CLIENT_ID=lanyard',
    '--set',
    `config.gateway.GATEWAY_OIDC_ROLES=operators=${'0'.repeat(32)}`,
  ],
  ['--values', 'deploy/helm/examples/production.yaml'],
  // As in a file that lists a map whose variables are all commented out.
  ['--set', 'config.common=null,config.gateway=null,config.dispatcher=null,config.campaigns=null'],
];

const problemsWith = async (helm: string, values: string[]) => {
  const manifests = withoutHooks(renderChart(helm, ...values));
  const [jobs, others] = [manifests.filter(isJob), manifests.filter((manifest) => !isJob(manifest))];
  const problems = [
    ...(await schemaProblems(manifests)),
    ...workloadProblems(manifests),
    ...referenceProblems(others),
    ...waveProblems(others),
    ...coverageProblems(others),
    ...(await scalingProblems(others)),
    ...(await manifestEnvironmentProblems(manifests)),
    ...infrastructurePortProblems(others),
    ...(jobs.length > 0 ? migrationProblems(others, jobs) : []),
  ];
  return problems.map((problem) => `deploy/helm with ${values.join(' ')}: ${problem}`);
};

const refused = [
  ['devices.dtsl=false', 'a value that it does not know'],
  ['services.dispatcher.heapMiB=832', 'a heap as large as the memory limit'],
  [
    'services.dispatcher.heapMiB=500,config.dispatcher.NODE_OPTIONS=--max-old-space-size=400',
    'a heap that NODE_OPTIONS overrides',
  ],
  ['services.dispatcher.heapMiB=500,config.dispatcher.NODE_OPTIONS=', 'a heap that an empty NODE_OPTIONS removes'],
  ['services.campaigns.replicas=2', 'two pods for a claim of one'],
  ['services.gateway.replicas=6', 'a number of replicas that an autoscaler sets'],
  ['campaigns.storage=bucket', 'a bucket without a name'],
  ['config.campaigns.CAMPAIGNS_S3_BUCKET=firmware', 'a bucket beside a claim'],
  ['services.dispatcher.autoscaling.max=2', 'fewer replicas at most than at least'],
  [
    'config.common.KAFKA_TLS_CERTIFICATE_FILE=/etc/lanyard/kafka/tls.crt',
    'a client certificate for Kafka whose Secret KEDA does not know',
  ],
  [
    `services.dispatcher.tag=0.1.1,services.dispatcher.digest=sha256:${'0'.repeat(64)}`,
    'a tag that a digest overrides',
  ],
  ['devices.expose=routes,expose=ingress', 'routes of devices without a Gateway'],
  ['config.common.REDIS_TLS_ENABLED=false', 'a setting of Redis that the maps of the services override'],
  ['patches[0].kind=ConfigMap,patches[0].merge.data.LOG_LEVEL=debug', 'variables that replace no pod'],
];

const problemsOf = async (helm: string) => [
  ...againstOverlay(helm),
  ...asComponents.flatMap(([values, component]) => againstOverlay(helm, ['--set', values], [component])),
  ...plantedProblems(helm),
  ...numberProblems(helm),
  ...(await Promise.all(variants.map((values) => problemsWith(helm, values)))).flat(),
  ...refused.flatMap(([value = '', what]) =>
    isRefused(helm, '--set', value) ? [] : [`deploy/helm accepts ${what}: ${value}`],
  ),
];

const helm = findHelm();
if (!helm)
  process.stdout.write('deploy/helm was not compared with k8s/overlays/prod: there is neither Helm nor Go here\n');
else conclude(await problemsOf(helm));
