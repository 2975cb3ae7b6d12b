import type { DeviceCommandAccepted, DeviceCommandFinished, ResourceValueArrived } from '@lanyard/contracts';
import type { AccountModels, ModelRegistry, ObjectVersions } from '@lanyard/lwm2m';
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
  { payload, contentType }: { payload: string; contentType?: string | undefined },
  { status, statusUpdatedAt }: Pick<DesiredValue, 'status' | 'statusUpdatedAt'>,
  models: ModelRegistry | undefined,
): DesiredValue[] =>
  expand(command.path, contentType ?? unnamed(command.method), Buffer.from(payload, 'base64'), models).map(
    (resource) => ({
      deviceId: command.deviceId,
      commandId: command.commandId,
      status,
      desiredAt: command.acceptedAt,
      statusUpdatedAt,
      ...resource,
    }),
  );

/** A write of a value makes it desired; reads, executes and write attributes do not. */
export const pendingValues = (
  fact: DeviceCommandAccepted,
  models?: AccountModels,
  versions?: ObjectVersions,
): DesiredValue[] => {
  const { accountId, payload, contentType, acceptedAt } = fact;
  if (!isWrite(fact) || payload === undefined || fact.query?.length) return [];
  const state = { status: desiredStatus.pending, statusUpdatedAt: acceptedAt };
  return desired(fact, { payload, contentType }, state, models?.registryOf(accountId, versions));
};

/** The values of a finished write. The result contains them, because it may be read before the command. */
export const finishedValues = (
  fact: DeviceCommandFinished,
  models?: AccountModels,
  versions?: ObjectVersions,
): DesiredValue[] => {
  if (!fact.written || !isWrite(fact)) return [];
  const status = fact.outcome === 'succeeded' ? desiredStatus.success : desiredStatus.failure;
  const state = { status, statusUpdatedAt: fact.finishedAt };
  return desired(fact, fact.written, state, models?.registryOf(fact.accountId, versions));
};
