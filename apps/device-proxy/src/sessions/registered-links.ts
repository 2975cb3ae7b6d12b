import { gatewayPath } from '@lanyard/lwm2m';

/**
 * Whether the device can have this path. Devices list instances, some list resources too: a path below a listed
 * instance may exist unless the device lists what is below that instance.
 */
export const mayExist = (links: readonly { path: string }[], path: string): boolean => {
  if (links.some((link) => link.path === path || link.path.startsWith(`${path}/`))) return true;
  // Bounded by the number of different targets.
  const parents = new Set(links.filter((link) => path.startsWith(`${link.path}/`)).map((link) => link.path));
  return [...parents].some((parent) => !links.some((link) => link.path.startsWith(`${parent}/`)));
};

/**
 * Whether the object or the instance of a path is registered. A resource of a registered instance is the device's to
 * judge; so is everything on a device that lists nothing.
 */
export const isRegistered = (links: readonly { path: string }[], path: string): boolean =>
  links.length === 0 || mayExist(links, path.split('/').slice(0, 3).join('/'));

/** Whether the device lists object 25, and so may have devices behind it. */
export const mayBeGateway = (links: readonly { path: string }[]): boolean =>
  links.some(({ path }) => path === gatewayPath || path.startsWith(`${gatewayPath}/`));
