/** Autoscalers watch existing consumer groups: `<service>.<topic>` for every topic that the service handles. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lanyard/project.ts';
import type { Manifest } from './kustomize.ts';

/** Names of the topics that an app consumes in batches. */
const consumedBy = async (app: string): Promise<string[]> => {
  const contracts = await import(join(root, 'libs/contracts/dist/index.js'));
  const source = join(root, 'apps', app, 'src');
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.consumer.ts'))
    .flatMap((file) => [...readFileSync(join(source, file), 'utf8').matchAll(/@OnBatch\((\w+)/g)])
    .map(([, topic = '']) => contracts[topic].name);
};

/** Variables that all services share. */
const commonVariables = (manifests: Manifest[]): Record<string, string> =>
  (manifests.find((m) => m.kind === 'ConfigMap' && m.metadata.name.startsWith('lanyard-common'))?.data ?? {}) as Record<
    string,
    string
  >;

const problemsOf = async ({ metadata: { name: app }, spec }: Manifest, prefix = ''): Promise<string[]> => {
  const { triggers } = spec as { triggers: { metadata: Record<string, string> }[] };
  const groups = triggers.map(({ metadata }) => metadata.consumerGroup ?? '');
  const groupOf = (topic = '') => `${prefix}${app}.${topic.slice(prefix.length)}`;
  const wanted = (await consumedBy(app)).map((topic) => groupOf(prefix + topic));
  const unwatched = wanted.filter((group) => !groups.includes(group));
  const unknown = groups.filter((group) => !wanted.includes(group));
  const crossed = triggers.filter(({ metadata }) => metadata.consumerGroup !== groupOf(metadata.topic));
  return [
    ...unwatched.map((group) => `ScaledObject ${app}: does not watch ${group}`),
    ...unknown.map((group) => `ScaledObject ${app}: watches ${group}, a group that does not exist`),
    ...crossed.map(({ metadata: m }) => `ScaledObject ${app}: ${m.consumerGroup} does not read ${m.topic}`),
  ];
};

/** KEDA reads lag from the same brokers as the services, with the same settings. */
const connectionProblems = ({ metadata: { name }, spec }: Manifest, manifests: Manifest[]): string[] => {
  const { KAFKA_BROKERS, KAFKA_TLS_ENABLED, KAFKA_SASL_MECHANISM } = commonVariables(manifests);
  const logins = manifests.filter((m) => m.kind === 'TriggerAuthentication').map((m) => m.metadata.name);
  const { triggers } = spec as {
    triggers: { metadata: Record<string, string>; authenticationRef?: { name: string } }[];
  };
  return triggers.flatMap(({ metadata: m, authenticationRef }) => {
    const mechanism = (KAFKA_SASL_MECHANISM || 'none')
      .toLowerCase()
      .replace('scram-sha-', 'scram_sha')
      .replace(/^plain$/, 'plaintext');
    const rules: [boolean, string][] = [
      [m.bootstrapServers === KAFKA_BROKERS?.replaceAll(/\s/g, ''), 'asks another broker than the services'],
      [(m.tls === 'enable') === (KAFKA_TLS_ENABLED === 'true'), 'does not ask with TLS as the services do'],
      [(m.sasl ?? 'none') === mechanism, `asks with ${m.sasl}, the services with ${mechanism}`],
      [mechanism === 'none' || logins.includes(authenticationRef?.name ?? ''), 'asks without the login'],
    ];
    return rules.flatMap(([holds, problem]) => (holds ? [] : [`ScaledObject ${name}: ${problem}`]));
  });
};

/** docs/capacity.md has the reason of each threshold. */
const unexplained = ({ kind, metadata: { name }, spec }: Manifest): string[] => {
  const settings = [...JSON.stringify(spec).matchAll(/"(lagThreshold|averageUtilization)":"?(\d+)/g)];
  const rows = readFileSync(join(root, 'docs/capacity.md'), 'utf8').split('\n');
  return [...new Set(settings.map(([, setting, value]) => `${setting}: ${value}`))]
    .filter((text) => !rows.some((row) => row.startsWith(`| ${name} `) && row.includes(`\`${text}\``)))
    .map((text) => `${kind} ${name}: docs/capacity.md does not say why ${text}`);
};

export const scalingProblems = async (manifests: Manifest[]): Promise<string[]> => {
  const problems = [];
  for (const manifest of manifests) {
    if (manifest.kind === 'ScaledObject')
      problems.push(
        ...(await problemsOf(manifest, commonVariables(manifests).KAFKA_TOPIC_PREFIX)),
        ...connectionProblems(manifest, manifests),
      );
    if (manifest.kind === 'ScaledObject' || manifest.kind === 'HorizontalPodAutoscaler')
      problems.push(...unexplained(manifest));
  }
  return problems;
};
