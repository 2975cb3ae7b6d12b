import type { DeviceBlockCategory, FirmwareImage } from '@lanyard/client/browser';
import { type Choice, type Choices, choicesOf } from './choice.ts';
import { useRefusal } from './permissions.ts';
import { useRead } from './queries.ts';

const choicesMax = 1_000;

const groupChoice = ({ id, name }: { id: string; name: string }): Choice => ({ value: id, label: name || id });

const imageChoice = ({ id, name, version }: FirmwareImage): Choice => ({
  value: id,
  label: `${name || id}, ${version}`,
});

const categoryChoice = ({ reference, description }: DeviceBlockCategory): Choice => ({
  value: reference,
  label: description,
});

/** Device groups to choose from: the first 1,000. */
export const useDeviceGroups = (): Choices => {
  const enabled = useRefusal('devices.read') === undefined;
  return choicesOf(useRead('GET /v3/device-groups', { query: { limit: choicesMax } }, { enabled }), groupChoice);
};

/** A function that returns the name of the device group with an id; the id if the group is not among the first 1,000. */
export const useDeviceGroupName = (): ((id: string) => string) => {
  const { data: groups } = useDeviceGroups().input;
  return (id) => groups.find(({ value }) => value === id)?.label ?? id;
};

/** Key groups to choose from: the first 1,000. */
export const useKeyGroups = (): Choices =>
  choicesOf(useRead('GET /v3/policy-groups', { query: { limit: choicesMax } }), groupChoice);

/** Packages to choose from, with their versions: the newest 1,000. */
export const useImages = (): Choices =>
  choicesOf(useRead('GET /v3/firmware-images', { query: { order: 'DESC', limit: choicesMax } }), imageChoice);

/** Categories of suspensions to choose from. */
export const useSuspensionCategories = (): Choices =>
  choicesOf(useRead('GET /v3/device-block-categories', { query: { limit: 100 } }), categoryChoice);
