import type { DeviceCommandAccepted, DeviceCommandFinished, ResourceValueArrived } from '@lanyard/contracts';
import { expand } from '../resources/expand.js';
import { type DesiredValue, desiredStatus, type ReportedValue } from '../resources/values.js';

/** The resource values of one fact: several when a whole object or instance was reported. */
export const reportedValues = (fact: ResourceValueArrived): ReportedValue[] => {
  const { item, deviceId, epoch, sequence, observedAt } = fact;
  const expiresAt = new Date(Date.parse(observedAt) + item['max-age'] * 1000).toISOString();
  return expand(item.path, item.ct, Buffer.from(item.payload, 'base64')).map((resource) => ({
    ...resource,
    deviceId,
    epoch,
    sequence,
    reportedAt: observedAt,
    expiresAt,
  }));
};

type Command = Pick<DeviceCommandAccepted, 'deviceId' | 'commandId' | 'path' | 'acceptedAt'>;

const desired = (
  command: Command,
  payload: string,
  contentType: string | undefined,
  status: DesiredValue['status'],
  statusUpdatedAt: string,
): DesiredValue[] =>
  expand(command.path, contentType ?? 'text/plain', Buffer.from(payload, 'base64')).map((resource) => ({
    ...resource,
    deviceId: command.deviceId,
    commandId: command.commandId,
    status,
    desiredAt: command.acceptedAt,
    statusUpdatedAt,
  }));

/** A write of a value makes it desired; reads, executes and write attributes do not. */
export const pendingValues = (fact: DeviceCommandAccepted): DesiredValue[] => {
  if (fact.method !== 'PUT' || fact.payload === undefined || fact.query?.length) return [];
  return desired(fact, fact.payload, fact.contentType, desiredStatus.pending, fact.acceptedAt);
};

/** How the write ended. The result says itself what was to be written, as it may be read before the command. */
export const finishedValues = (fact: DeviceCommandFinished): DesiredValue[] => {
  if (!fact.written || fact.method !== 'PUT') return [];
  const status = fact.outcome === 'succeeded' ? desiredStatus.success : desiredStatus.failure;
  return desired(fact, fact.written.payload, fact.written.contentType, status, fact.finishedAt);
};
