/** The devices in each device group. */
export class GroupMembers {
  private readonly byGroup = new Map<string, Set<string>>();

  /** `groups`: the groups of the device now; `previous`: its groups before. */
  move(deviceId: string, groups: readonly string[] = [], previous: readonly string[] = []): void {
    for (const group of previous) this.leave(group, deviceId);
    for (const group of groups) {
      const members = this.byGroup.get(group) ?? new Set<string>();
      this.byGroup.set(group, members.add(deviceId));
    }
  }

  /** Devices that are in any of the groups, each once. */
  devicesIn(groups: readonly string[]): string[] {
    const devices = new Set<string>();
    for (const group of groups) for (const deviceId of this.byGroup.get(group) ?? []) devices.add(deviceId);
    return [...devices];
  }

  private leave(group: string, deviceId: string): void {
    const members = this.byGroup.get(group);
    members?.delete(deviceId);
    if (members?.size === 0) this.byGroup.delete(group);
  }
}
