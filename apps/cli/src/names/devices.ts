import type { Device, Lanyard } from '@lanyard/client';
import { NotFound } from '@lanyard/client';
import { NameUnknown, UsageError } from '../errors.js';
import { closest } from './closest.js';
import { isId } from './records.js';

/** The most devices whose names are compared with an unknown name. */
const comparedMax = 1_000;

export const nameOf = (device: Pick<Device, 'id' | 'endpoint_name' | 'name'>): string =>
  device.endpoint_name ?? device.name ?? device.id;

const byId = async (lanyard: Lanyard, id: string): Promise<Device | undefined> => {
  try {
    return await lanyard.call('GET /v3/devices/{id}', { path: { id } });
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
};

const byName = async (lanyard: Lanyard, name: string): Promise<Device[]> => {
  const [endpoints, names] = await Promise.all([
    lanyard.call('GET /v3/devices', { query: { endpoint_name__eq: name } }),
    lanyard.call('GET /v3/devices', { query: { name__eq: name } }),
  ]);
  return [...new Map([...endpoints.data, ...names.data].map((device) => [device.id, device])).values()];
};

const unknown = async (lanyard: Lanyard, name: string): Promise<NameUnknown> => {
  const { data } = await lanyard.call('GET /v3/devices', { query: { limit: comparedMax } });
  const names = data.flatMap((device) => [device.endpoint_name, device.name]).filter((text) => text !== null);
  const near = closest(name, names);
  const advice = near === undefined ? '"lanyard devices" lists them.' : `Did you mean "${near}"?`;
  return new NameUnknown(`There is no device "${name}".`, advice);
};

export const findDevice = async (lanyard: Lanyard, nameOrId: string): Promise<Device> => {
  const known = isId(nameOrId) ? await byId(lanyard, nameOrId) : undefined;
  if (known) return known;
  const [found, ...others] = nameOrId === '' ? [] : await byName(lanyard, nameOrId);
  if (!found) throw await unknown(lanyard, nameOrId);
  if (others.length > 0)
    throw new UsageError(
      `Several devices are called "${nameOrId}".`,
      `Use the id of one: ${[found, ...others].map(({ id }) => id).join(', ')}.`,
    );
  return found;
};
