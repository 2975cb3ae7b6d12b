import { type BootstrapProfileChanged } from '@lanyard/contracts';
import { type BootstrapInstance, contentFormat, encodeValues, Malformed, UnsupportedFormat } from '@lanyard/lwm2m';
import type { ResourceType, ResourceValue, Scalar } from '@lanyard/lwm2m';

/** Objects of a server account (LwM2M 1.1 core, appendix E). */
export const securityObject = 0;
export const serverObject = 1;

/** `Security Mode` of the Security object. */
const securityModes = { psk: 0, raw_public_key: 1, none: 3 } as const;

/**
 * How a device and its LwM2M server authenticate from now on: resources 3, 4 and 5 of the Security object. Key pairs are in
 * DER, as SubjectPublicKeyInfo (RFC 7250) and OneAsymmetricKey (RFC 5958; LwM2M 1.1 core, appendix E.1.1).
 */
export interface AccountCredential {
  /** The identity of a pre-shared key, or the public key of the device. */
  publicKeyOrIdentity: Buffer;
  /** Empty for a pre-shared key. */
  serverPublicKey: Buffer;
  /** The pre-shared key, or the private key of the device. */
  secretKey: Buffer;
}

/** The instances of the Security and the Server object that the account is written to. */
export interface AccountInstances {
  security: number;
  server: number;
}

const none = Buffer.alloc(0);

const valuesAt = (
  path: string,
  resources: readonly (readonly [id: number, type: ResourceType, value: Scalar | undefined])[],
): ResourceValue[] =>
  resources.flatMap(([id, type, value]) => (value === undefined ? [] : [{ path: `${path}/${id}`, type, value }]));

/** The Security instance of the LwM2M server. Its resources are mandatory, so those that do not apply here are empty. */
export const securityValues = (
  { serverUri, shortServerId, securityMode }: BootstrapProfileChanged,
  instance: number,
  credential: AccountCredential | undefined,
): ResourceValue[] =>
  valuesAt(`/${securityObject}/${instance}`, [
    [0, 'string', serverUri],
    [1, 'boolean', false],
    [2, 'integer', securityModes[securityMode]],
    [3, 'opaque', credential?.publicKeyOrIdentity ?? none],
    [4, 'opaque', credential?.serverPublicKey ?? none],
    [5, 'opaque', credential?.secretKey ?? none],
    [10, 'integer', shortServerId],
  ]);

/** `Default Notification Mode` of the Server object (LwM2M 1.2). */
const notificationMode = (confirmable: boolean | undefined): number | undefined =>
  confirmable === undefined ? undefined : Number(confirmable);

/** A device ignores optional resources that it does not support (LwM2M 1.1 core §6.1.7, Bootstrap-Write). */
export const serverValues = (profile: BootstrapProfileChanged, instance: number): ResourceValue[] =>
  valuesAt(`/${serverObject}/${instance}`, [
    [0, 'integer', profile.shortServerId],
    [1, 'integer', profile.lifetimeSeconds],
    [2, 'integer', profile.defaultMinPeriodSeconds],
    [3, 'integer', profile.defaultMaxPeriodSeconds],
    [5, 'integer', profile.disableTimeoutSeconds],
    [6, 'boolean', profile.notificationStoring],
    [7, 'string', profile.binding],
    [14, 'unsigned', profile.initialRegistrationDelaySeconds],
    [16, 'boolean', profile.bootstrapOnRegistrationFailure],
    [17, 'unsigned', profile.communicationRetryCount],
    [18, 'unsigned', profile.communicationRetrySeconds],
    [19, 'unsigned', profile.communicationSequenceDelaySeconds],
    [20, 'unsigned', profile.communicationSequenceRetryCount],
    [22, 'string', profile.preferredTransport],
    [23, 'boolean', profile.muteSend],
    [26, 'integer', notificationMode(profile.confirmableNotifications)],
  ]);

/** Whether an instance can be written in this Content-Format. */
export const isWritable = (format: number): boolean => {
  const values = valuesAt(`/${serverObject}/0`, [
    [0, 'integer', 1],
    [7, 'string', 'U'],
  ]);
  try {
    return encodeValues(format, `/${serverObject}/0`, values).length > 0;
  } catch (error) {
    if (error instanceof UnsupportedFormat || error instanceof Malformed) return false;
    throw error;
  }
};

/** Whether this is a Content-Format for packs (LwM2M 1.2 core §6.1.7.5) that this service can write. */
export const isPackFormat = (format: number): boolean =>
  ([contentFormat.senmlCbor, contentFormat.senmlJson, contentFormat.lwm2mCbor] as number[]).includes(format) &&
  isWritable(format);

/** For `/`, a device deletes everything except the account of the bootstrap server and object 3 (LwM2M 1.1 core §6.1.7.6). */
const isDeleted = ({ object, instance, shortServerId }: BootstrapInstance, deletePaths: readonly string[]): boolean =>
  !(object === securityObject && shortServerId === undefined) &&
  ['/', `/${object}`, `/${object}/${instance}`].some((path) => deletePaths.includes(path));

const lowestFree = (taken: ReadonlySet<number>): number => {
  let id = 0;
  while (taken.has(id)) id++;
  return id;
};

/** Used when the device does not say which instances it has: Security instance 0 is usually that of the bootstrap server. */
export const defaultInstances: AccountInstances = { security: 1, server: 0 };

/**
 * The instances of the server with this short server id, if the device keeps them, otherwise free ones: two servers with the
 * same short server id would contradict each other. `instances`: the instances before the deletion.
 */
export const chooseInstances = (
  instances: readonly BootstrapInstance[],
  { shortServerId, deletePaths }: Pick<BootstrapProfileChanged, 'shortServerId' | 'deletePaths'>,
): AccountInstances => {
  const kept = instances.filter((one) => !isDeleted(one, deletePaths));
  const choose = (object: number): number => {
    const others = kept.filter((one) => one.object === object);
    const same = others.find((one) => one.shortServerId === shortServerId);
    return same?.instance ?? lowestFree(new Set(others.map(({ instance }) => instance)));
  };
  return { security: choose(securityObject), server: choose(serverObject) };
};
