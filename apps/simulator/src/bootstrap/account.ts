import { type Scalar } from '@lanyard/lwm2m';
import { parseServerUrl, type ServerUrl } from '../settings/server-url.js';

/** What a device registers with. */
export interface Account {
  servers: readonly ServerUrl[];
  credential: { identity: string; key: Buffer } | undefined;
  lifetimeSeconds: number;
}

/** Resources of the Security and the Server object, by path. */
export type AccountResources = ReadonlyMap<string, Scalar>;

/** `Security Mode` of the Security object. */
const securityModes = { psk: 0, none: 3 } as const;

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
    const isSecured = resources.get(`${security}/2`) === securityModes.psk;
    if (isSecured !== (credential !== undefined)) continue;
    return { servers: [url], credential, lifetimeSeconds: lifetime };
  }
  return undefined;
};

const credentialIn = (resources: AccountResources, security: string): Account['credential'] => {
  const [identity, key] = [resources.get(`${security}/3`), resources.get(`${security}/5`)];
  if (!Buffer.isBuffer(identity) || !Buffer.isBuffer(key) || key.length === 0) return undefined;
  return { identity: identity.toString(), key };
};
