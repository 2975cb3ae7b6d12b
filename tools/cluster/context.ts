/** The same commands for a cluster elsewhere: the current context of kubectl. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { externalInfrastructure } from '../lanyard/infrastructure.ts';
import { dataFolder, say, Stop } from '../lanyard/project.ts';
import { apps, type InfrastructureUrls } from '../lanyard/service-processes.ts';
import { secretsOf } from '../lanyard/state.ts';
import { fetchFirstKey } from './first-key.ts';
import { Kubectl } from './kubectl.ts';
import { infrastructurePolicies, nodePortPolicies } from './local-overlay.ts';
import { namespace, nodePorts, secretsOfServices, workloadOf, writeOverlay } from './overlay.ts';

/** The first minor version with `preStop.sleep` without a feature gate. */
const minorMin = 30;

const rolloutMs = 600_000;

const check = async (kubectl: Kubectl) => {
  const { serverVersion } = JSON.parse(await kubectl.run(['version', '-o', 'json']));
  if (Number.parseInt(serverVersion.minor, 10) < minorMin)
    throw new Stop(`The cluster is Kubernetes ${serverVersion.gitVersion}: 1.${minorMin} or later is needed.`);
  const context = (await kubectl.run(['config', 'current-context'])).trim();
  say(`context ${context}: Kubernetes ${serverVersion.gitVersion}`);
};

/** The infrastructure in KAFKA_BROKERS, DATABASE_URL and REDIS_URL, which the pods must be able to reach. */
const infrastructure = (): InfrastructureUrls => {
  const { brokers, databaseUrl, redisUrl } = externalInfrastructure();
  if (!brokers || !databaseUrl || !redisUrl)
    throw new Stop('Name infrastructure that the pods can reach: KAFKA_BROKERS, DATABASE_URL and REDIS_URL.');
  return { brokers, databaseUrl, redisUrl };
};

const install = async (kubectl: Kubectl, registry: string | undefined) => {
  if (registry === undefined)
    throw new Stop(
      'Push the images to a registry of the cluster, and name it: --registry registry.example.com/lanyard',
    );
  const folder = join(dataFolder(), 'cluster-context');
  const urls = infrastructure();
  const images = (app: string) => ({ newName: `${registry}/${app}`, newTag: 'dev' });
  writeOverlay(folder, { infrastructure: urls, images, more: infrastructurePolicies(urls) }, nodePortPolicies());
  await kubectl.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
  await kubectl.apply(secretsOfServices(urls, secretsOf(folder)));
  await kubectl.run(['apply', '-k', folder]);
  for (const app of apps) {
    await kubectl.rolledOut(namespace, workloadOf(app), rolloutMs);
    say(`${app} is ready`);
  }
  const keyFile = join(folder, 'admin.key');
  if (!existsSync(keyFile)) await fetchFirstKey(kubectl, keyFile);
  const { http, coap, coaps } = nodePorts;
  process.stdout.write(
    [
      '',
      'Lanyard runs on the cluster. At every node:',
      `  Gateway      TCP ${http}`,
      `  Devices      UDP and TCP ${coaps} (DTLS, TLS), UDP ${coap} (no security: development only)`,
      `  Key file     ${keyFile}`,
      '',
      '',
    ].join('\n'),
  );
};

/** The others measure or test the nodes of this machine. */
const commands = ['up', 'load', 'status', 'down'];

export const inContext = async (name: string, { registry }: { registry?: string | undefined }) => {
  if (!commands.includes(name)) throw new Stop(`--context goes with ${commands.join(', ')}, not with ${name}`);
  const kubectl = Kubectl.ofContext();
  await check(kubectl);
  if (name === 'load') await install(kubectl, registry);
  else if (name === 'down')
    await kubectl.run(['delete', 'namespace', namespace, '--ignore-not-found'], { timeoutMs: rolloutMs });
  else process.stdout.write(await kubectl.run(['get', name === 'up' ? 'nodes' : 'pods', '-A', '-o', 'wide']));
};
