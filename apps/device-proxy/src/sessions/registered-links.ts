import { gatewayPath, pathAndParents } from '@lanyard/lwm2m';

/** `/3303/0` and `/3303` for `/3303/0/5700`. */
const ancestorsOf = (path: string): string[] => pathAndParents(path).slice(1);

/** The paths in a device's link list. Indexed for many queries: a device may list 5,000 links, and each key may ask for 256 paths. */
export class RegisteredPaths {
  private readonly listed = new Set<string>();
  /** Ancestors of the listed paths. */
  private readonly ancestors = new Set<string>();

  constructor(links: readonly { path: string }[]) {
    for (const { path } of links) {
      this.listed.add(path);
      for (const ancestor of ancestorsOf(path)) this.ancestors.add(ancestor);
    }
  }

  /**
   * Whether the device can have this path. Devices list instances, some list resources too: a path below a listed
   * instance may exist unless the device lists what is below that instance.
   */
  mayExist(path: string): boolean {
    const { listed, ancestors } = this;
    if (listed.has(path) || ancestors.has(path)) return true;
    return ancestorsOf(path).some((ancestor) => listed.has(ancestor) && !ancestors.has(ancestor));
  }

  /**
   * Whether the object or the instance of a path is registered. Only the device knows which resources a registered
   * instance has, and what exists on a device that lists nothing: such paths count as registered.
   */
  isRegistered(path: string): boolean {
    return this.listed.size === 0 || this.mayExist(path.split('/').slice(0, 3).join('/'));
  }
}

/** Whether the device lists object 25, and so may have devices behind it. */
export const mayBeGateway = (links: readonly { path: string }[]): boolean =>
  links.some(({ path }) => path === gatewayPath || path.startsWith(`${gatewayPath}/`));
