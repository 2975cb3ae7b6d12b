import { type DeviceLifecycleChanged, DeviceLifecycle } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import { stringInterner } from './string-interner.js';

/** The copied fields of a device. */
export type DirectoryEntry = Omit<DeviceLifecycleChanged, 'suspension' | 'actor' | 'changedAt'> & {
  changedAtMs: number;
};

/** `deviceId`: the key in the topic, which is stored anyway, so that its string is shared. */
const project = (device: DeviceLifecycleChanged, deviceId: string): DirectoryEntry => {
  const { accountId, endpointName, endpointType, lifecycleStatus, change, revision, changedAt } = device;
  const { ackTimeoutMs, blockBytes, handshakeTimerMs, hostGateway } = device;
  return {
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
    revision,
    changedAtMs: Date.parse(changedAt),
  };
};

/**
 * Whether the outbox of the registry repeats a change that a later one has followed: a suspension that is over would
 * disconnect the device again. A restored database counts revisions from an earlier one on, but its changes are later;
 * a deletion is always the last change.
 */
const isOutdated = ({ change, revision, changedAtMs }: DirectoryEntry, known: DirectoryEntry): boolean =>
  change !== 'deleted' && revision < known.revision && changedAtMs <= known.changedAtMs;

/** This replica's copy of the devices that the registry announces. */
@Injectable()
export class DeviceLifecycleReader extends StateReader<DeviceLifecycleChanged, DirectoryEntry> {
  constructor(kafka: KafkaConnection) {
    super(kafka, DeviceLifecycle, { project, isOutdated });
  }
}
