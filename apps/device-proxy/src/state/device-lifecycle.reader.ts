import { type DeviceLifecycleChanged, DeviceLifecycle } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import { stringInterner } from './string-interner.js';

/** The copied fields of a device. */
export type DirectoryEntry = Pick<
  DeviceLifecycleChanged,
  | 'deviceId'
  | 'accountId'
  | 'endpointName'
  | 'endpointType'
  | 'lifecycleStatus'
  | 'change'
  | 'ackTimeoutMs'
  | 'blockBytes'
  | 'handshakeTimerMs'
  | 'hostGateway'
>;

/** `deviceId`: the key in the topic, which is stored anyway, so that its string is shared. */
const project = (
  {
    accountId,
    endpointName,
    endpointType,
    lifecycleStatus,
    change,
    ackTimeoutMs,
    blockBytes,
    handshakeTimerMs,
    hostGateway,
  }: DeviceLifecycleChanged,
  deviceId: string,
): DirectoryEntry => ({
  deviceId,
  accountId: stringInterner.intern(accountId),
  endpointName,
  ...(endpointType !== undefined && { endpointType: stringInterner.intern(endpointType) }),
  lifecycleStatus,
  change,
  ...(ackTimeoutMs !== undefined && { ackTimeoutMs }),
  ...(blockBytes !== undefined && { blockBytes }),
  ...(handshakeTimerMs !== undefined && { handshakeTimerMs }),
  ...(hostGateway !== undefined && { hostGateway: stringInterner.intern(hostGateway) }),
});

/** This replica's copy of the devices that the registry announces. */
@Injectable()
export class DeviceLifecycleReader extends StateReader<DeviceLifecycleChanged, DirectoryEntry> {
  constructor(kafka: KafkaConnection) {
    super(kafka, DeviceLifecycle, { project });
  }
}
