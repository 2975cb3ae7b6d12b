import type { DeviceCommandAccepted, DeviceCommandFinished } from '@lanyard/contracts';
import { mediaTypeOf } from '@lanyard/lwm2m';
import { formatTimestamp } from '@lanyard/service';
import { formatOf } from '../downlink/formats.js';
import { operationOf, writesValue } from '../downlink/operation.js';
import type { Command } from './command.entity.js';
import type { Outcome } from './outcome.js';

const fieldsOf = (command: Command) => ({
  commandId: command.id,
  deviceId: command.deviceId,
  accountId: command.accountId,
  keyId: command.keyId,
  ...(command.kind === 'campaign' && { campaignId: command.keyId }),
  asyncId: command.asyncId,
  kind: command.kind,
  method: command.method,
  path: command.path,
  ...(command.query.length > 0 && { query: command.query }),
  acceptedAt: formatTimestamp(command.acceptedAt),
});

/** A sender may name the format by its number. Readers of the facts know media types only. */
const contentOf = ({ contentType }: Command): { contentType?: string } => {
  if (contentType === null) return {};
  const format = formatOf(contentType);
  return { contentType: format === undefined ? contentType : mediaTypeOf(format) };
};

/** Whether the command writes a value of its sender: neither a package nor a URI with a ticket is one. */
const writesOwnValue = (command: Command): boolean =>
  command.sealedTicket === null && writesValue(operationOf(command));

/** A write without a payload writes the empty value. */
const writtenPayload = ({ payload }: Command): string => payload?.toString('base64') ?? '';

const payloadOf = (command: Command): { payload?: string } => {
  if (writesOwnValue(command)) return { payload: writtenPayload(command) };
  const { payload, sealedTicket } = command;
  return payload === null || sealedTicket !== null ? {} : { payload: payload.toString('base64') };
};

/** `payload` of a write tells the snapshot the desired value, as `written` of the result does. */
export const accepted = (command: Command): DeviceCommandAccepted => ({
  ...fieldsOf(command),
  ...contentOf(command),
  ...payloadOf(command),
  expiresAt: formatTimestamp(command.expiresAt),
});

/** The asynchronous response: on the channel of the key, or in the reply to a waiting request. */
export const itemOf = (
  command: Command,
  { status, error, payload, contentType, maxAgeSeconds }: Omit<Outcome, 'outcome' | 'isAnswered'>,
): DeviceCommandFinished['item'] => ({
  id: command.asyncId,
  status,
  payload: payload?.toString('base64') ?? '',
  ...(contentType !== undefined && { ct: contentType }),
  ...(maxAgeSeconds !== undefined && { 'max-age': maxAgeSeconds }),
  ...(error !== undefined && { error }),
});

/** The same item, from the record; undefined for an unfinished command. */
export const responseOf = (command: Command): DeviceCommandFinished['item'] | undefined => {
  const { status, error, result, resultType, resultMaxAge } = command;
  if (status === null) return undefined;
  return itemOf(command, {
    status,
    ...(error !== null && { error }),
    ...(result !== null && { payload: result }),
    ...(resultType !== null && { contentType: resultType }),
    ...(resultMaxAge !== null && { maxAgeSeconds: Number(resultMaxAge) }),
  });
};

const written = (command: Command) =>
  writesOwnValue(command) && { written: { payload: writtenPayload(command), ...contentOf(command) } };

/** `written` tells the snapshot the desired value, whether or not the device accepted it. */
export const finished = (
  command: Command,
  outcome: Outcome,
  finishedAtMs: number,
  endpointName: string | undefined,
): DeviceCommandFinished => ({
  item: itemOf(command, outcome),
  ...fieldsOf(command),
  ...(endpointName !== undefined && { endpointName }),
  outcome: outcome.outcome,
  ...(outcome.isAnswered && { answeredWithValue: true as const }),
  ...(command.noResponse && { noResponse: true as const }),
  finishedAt: formatTimestamp(finishedAtMs),
  ...written(command),
});
