import type { DeviceCommandAccepted, DeviceCommandFinished, ResourceValueArrived } from '@lanyard/contracts';
import type { AccountModels, ModelRegistry, ObjectVersions } from '@lanyard/lwm2m';
import { expand, isSingleResource } from '../resources/expand.js';
import { type DesiredValue, desiredStatus, type ReportedValue } from '../resources/values.js';

/** The time so many seconds later, with the decimals of the given one: a Date has only milliseconds. */
const secondsAfter = (instant: string, seconds: number): string => {
  const [decimals = ''] = /\.\d+/.exec(instant) ?? [];
  const whole = new Date(Date.parse(instant) + seconds * 1_000).toISOString().slice(0, -'.000Z'.length);
  return `${whole}${decimals}Z`;
};

/** The resource values of one fact: several when a whole object or instance was reported. */
export const reportedValues = (fact: ResourceValueArrived, models?: AccountModels): ReportedValue[] => {
  const { item, accountId, deviceId, epoch, sequence, observedAt, measuredAt } = fact;
  const reportedAt = measuredAt ?? observedAt;
  const isMeasured = measuredAt !== undefined;
  const expiresAt = secondsAfter(reportedAt, item['max-age']);
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

const instancePath = /^\/\d+\/\d+$/;

/** A POST to an instance is a partial write; to anything else, it creates or executes (LwM2M 1.1 core §6.3). */
export const isWrite = ({ method, path }: Pick<Command, 'method' | 'path'>): boolean =>
  method === 'PUT' || method === 'IPATCH' || (method === 'POST' && instancePath.test(path));

/** The type that the device-proxy chooses if the command names none, but opaque resources count as text here. */
const defaultType = ({ method, path }: Pick<Command, 'method' | 'path'>): string => {
  if (method === 'IPATCH') return 'application/senml+json';
  return isSingleResource(path) ? 'text/plain' : 'application/vnd.oma.lwm2m+tlv';
};

const desiredValues = (
  command: Command,
  { payload, contentType }: { payload: string; contentType?: string | undefined },
  { status, statusUpdatedAt }: Pick<DesiredValue, 'status' | 'statusUpdatedAt'>,
  models: ModelRegistry | undefined,
): DesiredValue[] => {
  // An instance without a payload has no resources to write.
  if (payload === '' && !isSingleResource(command.path)) return [];
  return expand(command.path, contentType ?? defaultType(command), Buffer.from(payload, 'base64'), models).map(
    (resource) => ({
      deviceId: command.deviceId,
      commandId: command.commandId,
      status,
      desiredAt: command.acceptedAt,
      statusUpdatedAt,
      ...resource,
    }),
  );
};

/** A write of a value makes it desired; reads, executes and write attributes (a query without a value) do not. */
export const pendingValues = (
  fact: DeviceCommandAccepted,
  models?: AccountModels,
  versions?: ObjectVersions,
): DesiredValue[] => {
  const { accountId, payload, contentType, acceptedAt, query = [] } = fact;
  if (!isWrite(fact) || payload === undefined || (payload === '' && query.length > 0)) return [];
  const state = { status: desiredStatus.pending, statusUpdatedAt: acceptedAt };
  return desiredValues(fact, { payload, contentType }, state, models?.registryOf(accountId, versions));
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
  return desiredValues(fact, fact.written, state, models?.registryOf(fact.accountId, versions));
};
