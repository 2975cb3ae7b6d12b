import { setBounded } from '@lanyard/service';
import { createHash } from 'node:crypto';
import type { DeviceSessionChanged } from '@lanyard/contracts';

export interface ListedResource {
  deviceId: string;
  path: string;
}

/** The path of a resource; objects and instances are listed with values only (spec §2.4). */
const resourcePath = /^\/\d+\/\d+\/\d+$/;

const pathsOf = ({ item }: DeviceSessionChanged): string[] =>
  (item.resources ?? []).map(({ path }) => path).filter((path) => resourcePath.test(path));

/** Devices whose list is remembered, about 150 bytes each. */
const devicesRememberedMax = 100_000;

/** The resources that registrations and updates list. Most updates repeat the previous list, which needs no write. */
export class Listing {
  private readonly stored = new Map<string, string>();

  /**
   * The resources that may not be stored yet. Those of a registration are always returned: its device may have been
   * purged meanwhile.
   */
  unstoredResources(facts: readonly DeviceSessionChanged[]): ListedResource[] {
    return facts.flatMap((fact) => {
      const paths = pathsOf(fact);
      const isKnown = fact.change === 'updated' && this.stored.get(fact.deviceId) === digest(paths);
      return isKnown ? [] : paths.map((path) => ({ deviceId: fact.deviceId, path }));
    });
  }

  recordStored(facts: readonly DeviceSessionChanged[]): void {
    for (const fact of facts) {
      const paths = pathsOf(fact);
      if (paths.length > 0) setBounded(this.stored, fact.deviceId, digest(paths), devicesRememberedMax);
      else this.stored.delete(fact.deviceId);
    }
  }
}

const digest = (paths: readonly string[]): string => createHash('sha1').update(paths.join()).digest('base64');
