import { NamedError } from '@lanyard/service';
import type { BootstrapProfileChanged } from '@lanyard/contracts';
import {
  type BootstrapInstance,
  type BootstrapLinks,
  contentFormat,
  decodeValues,
  encodeValues,
  Malformed,
  type ModelRegistry,
  parseBootstrapLinks,
  parsePath,
  type ResourceValue,
  standardModels,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import type { DeviceAnswer, DeviceRequest } from '../transport/device-link.js';
import {
  type AccountCredential,
  chooseInstances,
  defaultInstances,
  securityObject,
  securityValues,
  serverObject,
  serverValues,
} from './account-instances.js';

/** Sends a request to the device. Rejects with the errors of DeviceLink. */
export type SendRequest = (request: DeviceRequest) => Promise<DeviceAnswer>;

/** The device answered a request of the bootstrap server with an error. */
export class RefusedByDevice extends NamedError {
  constructor({ method, path }: DeviceRequest, code: string) {
    super(`${method} ${path}: ${code}`);
  }
}

export interface Account {
  profile: BootstrapProfileChanged;
  /** Undefined for an account without security. */
  credential: AccountCredential | undefined;
  /** Content-Format of what is written to the device. */
  format: number;
  /** The instances of the device's account at the bootstrap server, if it names them when it asks for a pack. */
  bootstrapAccount?: readonly BootstrapInstance[] | undefined;
}

let models: ModelRegistry | undefined;

const mustSucceed = async (send: SendRequest, request: DeviceRequest, accepted: readonly string[]): Promise<void> => {
  const { code } = await send(request);
  if (!accepted.includes(code)) throw new RefusedByDevice(request, code);
};

/** Returns undefined when the device has sent data that cannot be read, but that the bootstrap can do without. */
const tolerant = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed || error instanceof UnsupportedFormat) return undefined;
    throw error;
  }
};

/** Sends Bootstrap-Discover. undefined: the device does not support it. */
const discover = async (send: SendRequest): Promise<BootstrapLinks | undefined> => {
  const { code, payload } = await send({ method: 'GET', path: '/', accept: contentFormat.linkFormat });
  return code === '2.05' ? tolerant(() => parseBootstrapLinks(payload.toString())) : undefined;
};

/**
 * Bootstrap-Read of the Server object (LwM2M 1.1 core §6.1.7.3), for short server ids that Discover did not contain. A device
 * that refuses the read is bootstrapped without them.
 */
const readServers = async (send: SendRequest, format: number): Promise<BootstrapInstance[]> => {
  const path = `/${serverObject}`;
  const answer = await send({ method: 'GET', path, accept: format });
  if (answer.code !== '2.05') return [];
  models ??= standardModels();
  const { contentFormat: given = format, payload } = answer;
  const values = tolerant(() => decodeValues(given, payload, path, models as ModelRegistry)) ?? [];
  return values.flatMap(({ path: at, value }): BootstrapInstance[] => {
    const { object, instance, resource } = parsePath(at);
    if (object !== serverObject || instance === undefined || resource !== 0) return [];
    return [{ object, instance, shortServerId: Number(value) }];
  });
};

/** The instances that the device reports; a value from a read replaces the one from Discover. */
const instancesOf = async (send: SendRequest, format: number): Promise<BootstrapInstance[] | undefined> => {
  const found = await discover(send);
  if (!found) return undefined;
  const { version, instances } = found;
  if (version === '1.0' || !instances.some(({ object }) => object === serverObject)) return instances;
  const servers = await readServers(send, format);
  const isRead = (one: BootstrapInstance): boolean =>
    servers.some(({ object, instance }) => object === one.object && instance === one.instance);
  return [...instances.filter((one) => !isRead(one)), ...servers];
};

const write = (send: SendRequest, format: number, path: string, values: readonly ResourceValue[]): Promise<void> =>
  mustSucceed(send, { method: 'PUT', path, contentFormat: format, payload: encodeValues(format, path, values) }, [
    '2.04',
  ]);

/**
 * The exchange after a Bootstrap-Request (LwM2M 1.1 core §6.1.7): Discover, Read, Delete, Write, Finish. Resolves when
 * the device has answered Finish with 2.04. Rejects with RefusedByDevice, or the errors of `send`.
 */
export const writeAccount = async (send: SendRequest, { profile, credential, format }: Account): Promise<void> => {
  const instances = await instancesOf(send, format);
  for (const path of profile.deletePaths) await mustSucceed(send, { method: 'DELETE', path }, ['2.02', '4.04']);
  const { security, server } = instances ? chooseInstances(instances, profile) : defaultInstances;
  await write(send, format, `/${securityObject}/${security}`, securityValues(profile, security, credential));
  await write(send, format, `/${serverObject}/${server}`, serverValues(profile, server));
  await mustSucceed(send, { method: 'POST', path: '/bs' }, ['2.04']);
};

/**
 * The same account in one payload, for a Bootstrap-Pack-Request. The device replaces all instances of both objects, except
 * those of its account at the bootstrap server (LwM2M 1.2 core §6.1.7.7). Throws UnsupportedFormat.
 */
export const packOf = ({ profile, credential, format, bootstrapAccount }: Account): Buffer => {
  const { shortServerId } = profile;
  const { security, server } = bootstrapAccount?.some(({ object }) => object === securityObject)
    ? chooseInstances(bootstrapAccount, { shortServerId, deletePaths: [] })
    : defaultInstances;
  const values = [...securityValues(profile, security, credential), ...serverValues(profile, server)];
  return encodeValues(format, '/', values);
};
