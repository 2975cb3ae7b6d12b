import type { BootstrapProfileChanged } from '@lanyard/contracts';
import { Injectable } from '@nestjs/common';
import { Multimap } from '../credentials/multimap.js';
import { BootstrapProfilesReader } from '../state/bootstrap-profiles.reader.js';
import { DeviceGroupsReader } from '../state/device-groups.reader.js';

/** The device, group or account that the profile is for: the registry has at most one profile for each. */
const targetOf = ({ deviceId, groupId, accountId }: BootstrapProfileChanged): string =>
  deviceId ?? groupId ?? accountId;

const idOf = ({ profileId }: BootstrapProfileChanged): string => profileId;

/** Ids sort by the time of their creation. */
const byAge = (a: BootstrapProfileChanged, b: BootstrapProfileChanged): number => (a.profileId < b.profileId ? -1 : 1);

/** Finds the profile that applies to a device. */
@Injectable()
export class Profiles {
  /** The topic keeps order per profile only: a target may have another profile before the end of its former one is read. */
  private readonly byTarget = new Multimap(idOf);

  constructor(
    reader: BootstrapProfilesReader,
    private readonly groups: DeviceGroupsReader,
  ) {
    reader.onChange((_id, profile, previous) => {
      if (previous) this.byTarget.delete(targetOf(previous), previous.profileId);
      if (profile) this.byTarget.add(targetOf(profile), profile);
    });
  }

  /** The profile of the device, else of its groups (of several, the profile created first), else of the account. */
  profileOf(accountId: string, deviceId: string): BootstrapProfileChanged | undefined {
    const found = this.newestOf(deviceId) ?? this.ofGroups(this.groups.get(deviceId) ?? []) ?? this.newestOf(accountId);
    return found?.accountId === accountId ? found : undefined;
  }

  private newestOf(target: string): BootstrapProfileChanged | undefined {
    return this.byTarget.get(target).sort(byAge).at(-1);
  }

  private ofGroups(groups: readonly string[]): BootstrapProfileChanged | undefined {
    const profiles = groups.flatMap((group) => this.newestOf(group) ?? []);
    return profiles.sort(byAge)[0];
  }
}
