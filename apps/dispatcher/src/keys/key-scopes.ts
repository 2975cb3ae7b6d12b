import { isInScope } from '@lanyard/contracts';
import { Injectable } from '@nestjs/common';
import { AccessKeysReader } from './access-keys.reader.js';
import { DeviceGroupsReader } from './device-groups.reader.js';

/** Which keys get only the events of devices in some device groups (docs/adr/0029). */
@Injectable()
export class KeyScopes {
  private readonly limits = new Map<string, readonly string[]>();

  constructor(
    keys: AccessKeysReader,
    private readonly groups: DeviceGroupsReader,
  ) {
    keys.onChange((keyId, key) => {
      if (key?.deviceGroups) this.limits.set(keyId, key.deviceGroups);
      else this.limits.delete(keyId);
    });
  }

  /** undefined while no key is limited: then no event needs a lookup. */
  get maySee(): ((keyId: string, event: { readonly deviceId: string }) => boolean) | undefined {
    if (this.limits.size === 0) return undefined;
    return (keyId, event) => {
      const limit = this.limits.get(keyId);
      return limit === undefined || isInScope(limit, this.groups.get(event.deviceId));
    };
  }
}
