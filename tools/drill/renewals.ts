/** Replaces certificates and keys as docs/security.md says, while the system runs. */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { nodePorts } from '../cluster/overlay.ts';
import { newIdentityKeys } from '../lanyard/identity-keys.ts';
import { waitUntil } from '../lanyard/probes.ts';
import { sleep } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';
import type { ClusterSystem } from './cluster-system.ts';

/** The certificate that a listener shows, also to a client that it refuses afterwards. */
const shownBy = async (address: string) => {
  const args = ['s_client', '-connect', `${address}:${nodePorts.coaps}`, '-tls1_2', '-showcerts'];
  const asked = promisify(execFile)('openssl', args, { encoding: 'utf8', timeout: 10_000 });
  asked.child.stdin?.end();
  // openssl ends with an error if the listener refuses the connection.
  const { stdout } = await asked.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  const [pem] = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/.exec(stdout) ?? [];
  return pem && new X509Certificate(pem).fingerprint256;
};

/** The kubelet changes the files of a Secret within about a minute, and the listeners read them each minute. */
const renewedWithinMs = 240_000;

/** Connections that check which certificate they get: each may reach another replica. */
const attempts = 32;

export const newCertificate = async (system: ClusterSystem) => {
  const { installation } = system;
  const { address = '' } = installation.cluster.plan.nodes[0] ?? {};
  const made = new X509Certificate(await installation.changeCertificate()).fingerprint256;
  const started = performance.now();
  const areRenewed = async () => {
    for (let n = 0; n < attempts; n++) if ((await shownBy(address)) !== made) return false;
    return true;
  };
  await waitUntil('every replica to show the new certificate', areRenewed, {
    timeoutMs: renewedWithinMs,
    intervalMs: 5_000,
  });
  return `all of ${attempts} connections were shown it after ${Math.round((performance.now() - started) / 1_000)} s`;
};

/** Lifetime of tokens of the gateway. */
const tokenMs = 30_000;

export const newIdentityKey = async (system: ClusterSystem) => {
  const { installation } = system;
  const before = installation.secrets;
  const { identityPrivateKey, identityPublicKey } = newIdentityKeys();
  const verifiers = apps.filter((app) => app !== 'gateway');
  await installation.changeSecrets({ identityPublicKey: `${before.identityPublicKey},${identityPublicKey}` });
  await system.restart(...verifiers);
  await installation.changeSecrets({ identityPrivateKey });
  await system.restart('gateway');
  await sleep(tokenMs);
  await installation.changeSecrets({ identityPublicKey });
  await system.restart(...verifiers);
};
