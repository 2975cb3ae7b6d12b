/** deploy/helm with values like an operator's: infrastructure elsewhere, a Gateway, migrations as hooks. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../../lanyard/programs.ts';
import { root, say, Stop } from '../../lanyard/project.ts';
import { type App, apps } from '../../lanyard/service-processes.ts';
import { findHelm } from '../../manifests/helm.ts';
import { Installation } from '../installation.ts';
import { namespace, nodePorts, packagesVolume, secretsOfServices } from '../overlay.ts';
import { moduleFolder } from '../programs.ts';
import { imageOf } from '../service-images.ts';

const registry = 'registry.example.com/lanyard';
const gatewayApi = { module: 'sigs.k8s.io/gateway-api', version: 'v1.6.3' };
const account = '00000000000000000000000000000001';
const chart = join(root, 'deploy/helm');

const withoutTls = (server: string) => ({ [`${server}_TLS_ENABLED`]: 'false', [`${server}_TLS_CA_FILE`]: '' });

/** Resources for a node with two processors. */
const small = (memory: string) => ({
  replicas: 1,
  resources: { requests: { cpu: '50m', memory }, limits: { cpu: '2', memory } },
});

/** No load balancer has to notice that the pod ends, so it ends sooner. */
const withoutBalancer = {
  spec: { containers: [{ name: 'device-proxy', lifecycle: { preStop: { sleep: { seconds: 5 } } } }] },
};

export class Chart extends Installation {
  private helm(...args: string[]) {
    const helm = findHelm();
    if (helm === undefined) throw new Stop('There is neither Helm nor Go here.');
    const env = { ...process.env, ...this.kubectl.env };
    outputOf(helm, [...args, '--namespace', namespace, '--timeout', '8m'], { env });
  }

  private values(brokers: string) {
    const { host, network } = this.cluster.plan;
    const redis = withoutTls('REDIS');
    return {
      image: { registry, tag: 'dev' },
      expose: 'gateway-api',
      autoscaling: false,
      monitoring: { enabled: false },
      infrastructurePeers: [{ ipBlock: { cidr: `${host}/32` } }],
      config: {
        common: {
          KAFKA_BROKERS: brokers,
          KAFKA_SASL_MECHANISM: '',
          ...withoutTls('KAFKA'),
          ...withoutTls('DATABASE'),
        },
        gateway: {
          ...redis,
          GATEWAY_FIRST_ACCOUNT_ID: account,
          GATEWAY_FIRST_ACCOUNT_AUTO_CREATE_DEVICES: true,
        },
        dispatcher: { ...redis, DISPATCHER_CALLBACK_ALLOW_CIDRS: network },
        'device-proxy': {
          ...redis,
          DEVICE_PROXY_COAP_NOSEC_ENABLED: true,
          DEVICE_PROXY_COAP_HOST: '0.0.0.0',
          DEVICE_PROXY_COAP_PORT: 5683,
          DEVICE_PROXY_COAP_NOSEC_ACCOUNT_ID: account,
        },
      },
      services: {
        ...Object.fromEntries(apps.map((app) => [app, small('384Mi')])),
        'device-proxy': { ...small('1Gi'), pod: withoutBalancer },
        dispatcher: small('832Mi'),
        gateway: small('512Mi'),
        snapshot: small('512Mi'),
      },
    };
  }

  /** Node ports, in place of the ports of a load balancer. */
  private nodePortServices() {
    const service = (name: string, app: string, ports: object[]) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { type: 'NodePort', selector: { 'app.kubernetes.io/name': app }, ports },
    });
    return [
      service('node-http', 'gateway', [{ port: 8080, nodePort: nodePorts.http }]),
      service('node-devices', 'device-proxy', [
        { name: 'coap', protocol: 'UDP', port: 5683, nodePort: nodePorts.coap },
        { name: 'coaps', protocol: 'UDP', port: 5684, nodePort: nodePorts.coaps },
        { name: 'coaps-tcp', protocol: 'TCP', port: 5684, nodePort: nodePorts.coaps },
      ]),
    ];
  }

  override async install() {
    const { kubectl } = this;
    const { folder } = this.cluster.plan;
    const urls = await this.infrastructureUrls();
    for (const app of apps) await this.tagImage(imageOf(app), `${registry}/${app}:dev`);
    const definitions = join(moduleFolder(gatewayApi), 'config/crd/standard');
    for (const name of readdirSync(definitions))
      if (name.startsWith('gateway.networking'))
        await kubectl.run(['apply', '--server-side', '-f', join(definitions, name)]);
    await kubectl.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
    await kubectl.apply([
      ...secretsOfServices(urls, this.secrets),
      packagesVolume(join(folder, 'packages')),
      ...this.nodePortServices(),
    ]);
    for (const name of ['device-proxy-tls', 'gateway-tls']) await this.changeCertificate(name);
    const values = join(folder, 'values.json');
    writeFileSync(values, JSON.stringify(this.values(urls.brokers), null, 2));
    this.helm('install', 'lanyard', chart, '--values', values);
    say('the chart is installed, its migrations have run');
    await this.rolledOut();
    await this.fetchKey();
  }

  /** Upgrades one service alone, and reverts it. */
  private async upgradeAlone(app: App) {
    await this.tagImage(imageOf(app), `${registry}/${app}:next`);
    const before = await this.pods();
    // `--wait` would also wait for addresses of load balancers, which this cluster does not assign.
    this.helm('upgrade', 'lanyard', chart, '--reset-then-reuse-values', '--set', `services.${app}.tag=next`);
    await this.rolledOut();
    const changed = [...(await this.pods())].filter(([name]) => !before.has(name)).map(([, one]) => one);
    if (changed.length === 0 || changed.some((one) => one !== app))
      throw new Stop(`an upgrade of ${app} replaced the pods of ${changed.join(', ') || 'nothing'}`);
    say(`${app} alone was upgraded`);
    this.helm('rollback', 'lanyard');
    await this.rolledOut();
    say('and rolled back');
  }

  override async after() {
    for (const app of ['dispatcher', 'registry'] as const) await this.upgradeAlone(app);
    this.helm('uninstall', 'lanyard', '--wait');
    say('the chart is uninstalled');
  }

  /** Apps by name of their pods, without those of Jobs. */
  private async pods() {
    const pods = await this.kubectl.list('pods', '-n', namespace, '-l', 'app.kubernetes.io/component!=migration');
    return new Map(pods.map(({ metadata }) => [metadata.name, metadata.labels?.['app.kubernetes.io/name']]));
  }
}
