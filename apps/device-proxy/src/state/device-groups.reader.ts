import { DeviceGroups, type DeviceGroupsChanged } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import { GroupMembers } from './group-members.js';
import { stringInterner } from './string-interner.js';

/** This replica's copy of the groups of each device that the registry announces. */
@Injectable()
export class DeviceGroupsReader extends StateReader<DeviceGroupsChanged, readonly string[]> {
  private readonly members = new GroupMembers();

  constructor(kafka: KafkaConnection) {
    super(kafka, DeviceGroups, { project: ({ groups }) => groups.map((group) => stringInterner.intern(group)) });
    this.onChange((deviceId, groups, previous) => this.members.move(deviceId, groups, previous));
  }

  /** Devices that are in any of the groups, found without looking at any other device. */
  devicesIn(groups: readonly string[]): string[] {
    return this.members.devicesIn(groups);
  }
}
