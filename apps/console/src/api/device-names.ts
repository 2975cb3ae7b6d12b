import { useThrottledValue } from '@mantine/hooks';
import { useRefusal } from './permissions.ts';
import { useRead } from './queries.ts';

/** Names are asked for at most this often, whatever the rate of events. */
const everyMs = 2_000;

const namesMax = 100;

/**
 * A function that returns the name by which people know the device with an id: its name unless that is empty, or its
 * endpoint name. Until the devices are read, and for a device without names, it returns the id.
 */
export const useDeviceNames = (ids: readonly string[]): ((id: string) => string) => {
  const distinct = [...new Set(ids.filter((id) => id !== ''))].slice(0, namesMax).sort();
  const asked = useThrottledValue(distinct.join(','), everyMs);
  const enabled = useRefusal('devices.read') === undefined && asked !== '';
  const query = { filter: `id__in=${asked}`, limit: namesMax };
  const { data } = useRead('GET /v3/devices', { query }, { enabled, keeps: true });
  const names = new Map(data?.data.map(({ id, name, endpoint_name: endpoint }) => [id, name || endpoint || id]));
  return (id) => names.get(id) ?? id;
};
