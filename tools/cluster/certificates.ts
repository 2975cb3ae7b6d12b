/** Identities in the cluster: an authority, certificates, and files with which programs find and trust the API server. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesService, type Plan } from './plan.ts';

export const apiServerPort = 6443;

const apiServerHosts = ({ control }: Plan) => [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '127.0.0.1',
  kubernetesService,
  control.address,
];

const kubeconfig = (server: string, folder: string, user: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'lanyard', cluster: { server, 'certificate-authority': join(folder, 'ca.crt') } }],
  users: [
    {
      name: user,
      user: { 'client-certificate': join(folder, `${user}.crt`), 'client-key': join(folder, `${user}.key`) },
    },
  ],
  contexts: [{ name: 'lanyard', context: { cluster: 'lanyard', user } }],
  'current-context': 'lanyard',
});

export const certificatesFolder = ({ folder }: Plan) => join(folder, 'pki');
export const kubeconfigOf = (plan: Plan, user: string) => join(certificatesFolder(plan), `${user}.kubeconfig`);

/** The clients of the API server: the common name is the user, the organization the group. */
const usersOf = ({ nodes }: Plan) => [
  { file: 'admin', name: 'admin', organization: 'system:masters' },
  { file: 'controller-manager', name: 'system:kube-controller-manager' },
  { file: 'scheduler', name: 'system:kube-scheduler' },
  { file: 'proxy', name: 'system:kube-proxy' },
  ...nodes.map(({ name, address }) => ({
    file: name,
    name: `system:node:${name}`,
    organization: 'system:nodes',
    hosts: [name, address],
  })),
];

/** Writes all certificates. The key of the authority is not kept: a new cluster gets a new authority. */
export const writeCertificates = async (plan: Plan) => {
  // Imported late, because the package may not have been compiled before.
  const { certificateAuthority } = await import('@lanyard/testing');
  const folder = certificatesFolder(plan);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  const authority = certificateAuthority('lanyard-cluster');
  const certified = { ca: authority, front: authority.issue('front-proxy') };
  const apiserver = authority.issue('kube-apiserver', { hosts: apiServerHosts(plan) });
  for (const [name, { certificate, privateKey }] of Object.entries({ ...certified, apiserver })) {
    write(`${name}.crt`, certificate);
    write(`${name}.key`, privateKey);
  }
  const server = `https://${plan.control.address}:${apiServerPort}`;
  for (const { file, name, ...options } of usersOf(plan)) {
    const { certificate, privateKey } = authority.issue(name, options);
    write(`${file}.crt`, certificate);
    write(`${file}.key`, privateKey);
    write(`${file}.kubeconfig`, JSON.stringify(kubeconfig(server, folder, file), null, 2));
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  write('service-accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  write('service-accounts.pub', publicKey.export({ type: 'spki', format: 'pem' }) as string);
};
