/** Certificates and keys are replaced as docs/security.md says, while the system runs. */
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { nodePorts } from '../cluster/overlay.ts';
import { newIdentityKeys } from '../lanyard/identity-keys.ts';
import { sleep } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';
import type { ClusterSystem } from './cluster-system.ts';

/** The certificate that a listener shows, also to a client that it refuses afterwards. */
const shownBy = (address: string) => {
  const args = ['s_client', '-connect', `${address}:${nodePorts.coaps}`, '-tls1_2', '-showcerts'];
  const { stdout } = spawnSync('openssl', args, { encoding: 'utf8', input: '', timeout: 10_000 });
  const [pem] = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/.exec(stdout) ?? [];
  return pem && new X509Certificate(pem).fingerprint256;
};

/** Connections that are asked which certificate they get: each may reach another replica. */
const attempts = 8;

export const newCertificate = async (system: ClusterSystem) => {
  const { installation } = system;
  const { address = '' } = installation.cluster.plan.nodes[0] ?? {};
  const made = new X509Certificate(await installation.changeCertificate()).fingerprint256;
  await system.restart('device-proxy');
  const others = Array.from({ length: attempts }, () => shownBy(address)).filter((shown) => shown !== made);
  if (others.length > 0) throw new Error(`${others.length} of ${attempts} connections were shown another certificate`);
  return `all of ${attempts} connections were shown it`;
};

/** Tokens of the gateway live as long. */
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
