import type { DeviceCommandAccepted, DeviceCommandFinished, ResourceValueArrived } from '@lanyard/contracts';
import type { AccountModels, ObjectVersions } from '@lanyard/lwm2m';
import { expand } from '../resources/expand.js';
import { type DesiredValue, desiredStatus, type ReportedValue } from '../resources/values.js';

/** The resource values of one fact: several when a whole object or instance was reported. */
export const reportedValues = (fact: ResourceValueArrived, models?: AccountModels): ReportedValue[] => {
  const { item, accountId, deviceId, epoch, sequence, observedAt, measuredAt } = fact;
  const reportedAt = measuredAt ?? observedAt;
  const isMeasured = measuredAt !== undefined;
  const expiresAt = new Date(Date.parse(reportedAt) + item['max-age'] * 1000).toISOString();
  const payload = Buffer.from(item.payload, 'base64');
  return expand(item.path, item.ct, payload, models?.registryOf(accountId, fact.objectVersions)).map((resource) => ({
    accountId,
    deviceId,
    epoch,
    sequence,
    reportedAt,
    isMeasured,
    expiresAt,
    ...resource,
  }));
};

type Command = Pick<DeviceCommandAccepted, 'deviceId' | 'accountId' | 'commandId' | 'method' | 'path' | 'acceptedAt'>;

export const isWrite = ({ method }: Pick<Command, 'method'>): boolean => method === 'PUT' || method === 'IPATCH';

/** The type that the device-proxy sends if the sender named none. */
const unnamed = (method: Command['method']): string => (method === 'IPATCH' ? 'application/senml+json' : 'text/plain');

const desired = (
  command: Command,
  payload: string,
  contentType: string | undefined,
  status: DesiredValue['status'],
  statusUpdatedAt: string,
  models: AccountModels | undefined,
  versions: ObjectVersions | undefined,
): DesiredValue[] =>
  expand(
    command.path,
    contentType ?? unnamed(command.method),
    Buffer.from(payload, 'base64'),
    models?.registryOf(command.accountId, versions),
  ).map((resource) => ({
    deviceId: command.deviceId,
    commandId: command.commandId,
    status,
    desiredAt: command.acceptedAt,
    statusUpdatedAt,
    ...resource,
  }));

/** A write of a value makes it desired; reads, executes and write attributes do not. */
export const pendingValues = (
  fact: DeviceCommandAccepted,
  models?: AccountModels,
  versions?: ObjectVersions,
): DesiredValue[] => {
  if (!isWrite(fact) || fact.payload === undefined || fact.query?.length) return [];
  return desired(fact, fact.payload, fact.contentType, desiredStatus.pending, fact.acceptedAt, models, versions);
};

/** The values of a finished write. The result contains them, because it may be read before the command. */
export const finishedValues = (
  fact: DeviceCommandFinished,
  models?: AccountModels,
  versions?: ObjectVersions,
): DesiredValue[] => {
  if (!fact.written || !isWrite(fact)) return [];
  const status = fact.outcome === 'succeeded' ? desiredStatus.success : desiredStatus.failure;
  return desired(fact, fact.written.payload, fact.written.contentType, status, fact.finishedAt, models, versions);
};
