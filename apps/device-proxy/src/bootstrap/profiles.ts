import type { BootstrapProfileChanged } from '@lanyard/contracts';
import { Injectable } from '@nestjs/common';
import { BootstrapProfilesReader } from '../state/bootstrap-profiles.reader.js';
import { DeviceGroupsReader } from '../state/device-groups.reader.js';

/** A device, a group or an account: the registry has at most one profile for each. */
const targetOf = ({ deviceId, groupId, accountId }: BootstrapProfileChanged): string =>
  deviceId ?? groupId ?? accountId;

/** Which profile applies to a device. */
@Injectable()
export class Profiles {
  private readonly byTarget = new Map<string, BootstrapProfileChanged>();

  constructor(
    reader: BootstrapProfilesReader,
    private readonly groups: DeviceGroupsReader,
  ) {
    reader.onChange((_id, profile, previous) => {
      // Its target may have another one by now: the topic keeps order per profile only.
      if (previous && this.byTarget.get(targetOf(previous))?.profileId === previous.profileId)
        this.byTarget.delete(targetOf(previous));
      if (profile) this.byTarget.set(targetOf(profile), profile);
    });
  }

  /** That of the device, else of its groups (of several, the profile created first), else of the account. */
  profileOf(accountId: string, deviceId: string): BootstrapProfileChanged | undefined {
    const found =
      this.byTarget.get(deviceId) ?? this.ofGroups(this.groups.get(deviceId) ?? []) ?? this.byTarget.get(accountId);
    return found?.accountId === accountId ? found : undefined;
  }

  /** Ids sort by the time of their creation. */
  private ofGroups(groups: readonly string[]): BootstrapProfileChanged | undefined {
    const profiles = groups.flatMap((group) => this.byTarget.get(group) ?? []);
    return profiles.sort((a, b) => (a.profileId < b.profileId ? -1 : 1))[0];
  }
}
