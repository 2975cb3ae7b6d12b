import { useRefusal } from './permissions.ts';
import { useRead } from './queries.ts';

const choicesMax = 1_000;

export interface Choice {
  value: string;
  label: string;
}

const choicesOf = (records: readonly { id: string; name?: string | null }[] | undefined): Choice[] =>
  records?.map(({ id, name }) => ({ value: id, label: name || id })) ?? [];

/** Device groups to choose from: the first 1,000. */
export const useDeviceGroups = (): Choice[] => {
  const enabled = useRefusal('devices.read') === undefined;
  return choicesOf(useRead('GET /v3/device-groups', { query: { limit: choicesMax } }, { enabled }).data?.data);
};

/** A function that returns the name of the device group with an id; the id if the group is not among the first 1,000. */
export const useDeviceGroupName = (): ((id: string) => string) => {
  const groups = useDeviceGroups();
  return (id) => groups.find(({ value }) => value === id)?.label ?? id;
};

/** Key groups to choose from: the first 1,000. */
export const useKeyGroups = (): Choice[] =>
  choicesOf(useRead('GET /v3/policy-groups', { query: { limit: choicesMax } }).data?.data);

/** Packages to choose from, with their versions: the newest 1,000. */
export const useImages = (): Choice[] => {
  const { data } = useRead('GET /v3/firmware-images', { query: { order: 'DESC', limit: choicesMax } });
  return data?.data.map(({ id, name, version }) => ({ value: id, label: `${name || id}, ${version}` })) ?? [];
};

/** Categories of suspensions to choose from. */
export const useSuspensionCategories = (): Choice[] =>
  useRead('GET /v3/device-block-categories', { query: { limit: 100 } }).data?.data.map(
    ({ reference, description }) => ({ value: reference, label: description }),
  ) ?? [];
