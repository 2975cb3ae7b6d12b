import { KeyedSets } from '@lanyard/service';

/** The devices in each device group. */
export class GroupMembers {
  private readonly byGroup = new KeyedSets<string, string>();

  /** `groups`: the groups of the device now; `previous`: its groups before. */
  move(deviceId: string, groups: readonly string[] = [], previous: readonly string[] = []): void {
    for (const group of previous) this.byGroup.delete(group, deviceId);
    for (const group of groups) this.byGroup.add(group, deviceId);
  }

  /** Devices that are in any of the groups, each once. */
  devicesIn(groups: readonly string[]): string[] {
    const devices = new Set<string>();
    for (const group of groups) for (const deviceId of this.byGroup.get(group)) devices.add(deviceId);
    return [...devices];
  }
}
