import { isDeepStrictEqual } from 'node:util';
import { allows, isInScope } from '@lanyard/contracts';
import { Injectable } from '@nestjs/common';
import { AccessKeysReader } from '../state/access-keys.reader.js';
import { DeviceGroupsReader } from '../state/device-groups.reader.js';

/** Decides which keys may receive the values that they subscribed to. */
@Injectable()
export class Receivers {
  constructor(
    private readonly keys: AccessKeysReader,
    private readonly groups: DeviceGroupsReader,
  ) {}

  /** Whether the device is one of the device groups that the key is limited to. */
  maySee(keyId: string, deviceId: string): boolean {
    return isInScope(this.keys.get(keyId)?.deviceGroups, this.groups.get(deviceId));
  }

  /** Called when the device groups that a key is limited to have changed, so that the key sees other devices than before. */
  onLimitChange(listener: (accountId: string) => void): void {
    this.keys.onChange((_, now, before) => {
      const accountId = (now ?? before)?.accountId;
      const isSame = isDeepStrictEqual(now?.deviceGroups, before?.deviceGroups);
      if (accountId !== undefined && !isSame) listener(accountId);
    });
  }

  /** A key that is not announced yet may receive values, because the gateway let it subscribe. */
  mayReceive(keyId: string): boolean {
    const key = this.keys.get(keyId);
    return !key || (key.status === 'active' && allows(key.permissions, 'subscriptions'));
  }

  /** The keys that may receive values. Called for every value: returns the same array if all keys may. */
  among(keyIds: readonly string[]): readonly string[] {
    for (const keyId of keyIds)
      if (!this.mayReceive(keyId)) return keyIds.filter((candidate) => this.mayReceive(candidate));
    return keyIds;
  }
}
