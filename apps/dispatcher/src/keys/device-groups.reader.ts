import { DeviceGroups, type DeviceGroupsChanged } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';

/** This replica's copy of the groups of each device that the registry announces. */
@Injectable()
export class DeviceGroupsReader extends StateReader<DeviceGroupsChanged, readonly string[]> {
  constructor(kafka: KafkaConnection) {
    super(kafka, DeviceGroups, { project: ({ groups }) => groups });
  }
}
