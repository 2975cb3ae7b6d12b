import { createPrivateKey, createPublicKey } from 'node:crypto';
import { type Scalar } from '@lanyard/lwm2m';
import { parseServerUrl, type ServerUrl } from '../settings/server-url.js';
import { type KeyPair, type Proof } from '../transport/credentials.js';

/** The servers that a device registers with, and its credential. */
export interface Account {
  servers: readonly ServerUrl[];
  credential: Proof | undefined;
  lifetimeSeconds: number;
}

/** Resources of the Security and the Server object, by path. */
export type AccountResources = ReadonlyMap<string, Scalar>;

/** `Security Mode` of the Security object. */
const securityModes = { psk: 0, rawPublicKey: 1, none: 3 } as const;

const instancesOf = (resources: AccountResources, object: number): string[] => [
  ...new Set(
    [...resources.keys()].filter((path) => path.startsWith(`/${object}/`)).map((path) => path.split('/', 3).join('/')),
  ),
];

/** The account of the LwM2M server; undefined while it is incomplete or contradicts itself (LwM2M 1.1 core §6.1.7.6). */
export const accountIn = (resources: AccountResources): Account | undefined => {
  for (const security of instancesOf(resources, 0)) {
    if (resources.get(`${security}/1`) === true) continue;
    const shortServerId = resources.get(`${security}/10`);
    const server = instancesOf(resources, 1).find((path) => resources.get(`${path}/0`) === shortServerId);
    const url = parseServerUrl(String(resources.get(`${security}/0`)));
    const lifetime = server === undefined ? undefined : resources.get(`${server}/1`);
    if (shortServerId === undefined || !url || typeof lifetime !== 'number') continue;
    const credential = credentialIn(resources, security);
    const isSecured = resources.get(`${security}/2`) !== securityModes.none;
    if (isSecured !== (credential !== undefined)) continue;
    return { servers: [url], credential, lifetimeSeconds: lifetime };
  }
  return undefined;
};

const credentialIn = (resources: AccountResources, security: string): Proof | undefined => {
  const [mode, identity, serverKey, secret] = [2, 3, 4, 5].map((id) => resources.get(`${security}/${id}`));
  if (!Buffer.isBuffer(identity) || !Buffer.isBuffer(secret) || secret.length === 0) return undefined;
  if (mode === securityModes.psk) return { identity: identity.toString(), key: secret };
  if (mode !== securityModes.rawPublicKey || !Buffer.isBuffer(serverKey)) return undefined;
  return rawPublicKeyIn({ publicKey: identity, privateKey: secret, serverKey });
};

/** Keys in DER (LwM2M 1.1 core, appendix E.1.1.2). Undefined if there is no key, or the device's two keys do not form a pair. */
const rawPublicKeyIn = (der: Record<'publicKey' | 'privateKey' | 'serverKey', Buffer>): KeyPair | undefined => {
  try {
    const privateKey = createPrivateKey({ key: der.privateKey, format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
    return publicKey.equals(der.publicKey) ? { chain: [], privateKey, serverKey: der.serverKey } : undefined;
  } catch {
    return undefined;
  }
};
