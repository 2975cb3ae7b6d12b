import type { ResourceValueArrived } from './device-values.js';
import { base64Pattern, idPattern, instantPattern, resourcePathPattern } from './fields.js';
import type { FramedText } from './topic.js';

/** ASCII without characters that JSON escapes. */
const plainPattern = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

const causes: readonly string[] = [
  'notify',
  'read',
  'auto-observation',
  'send',
] satisfies ResourceValueArrived['cause'][];

const endpointNameMax = 255;

/** Also accepts input of untyped callers. */
const fits = (text: unknown, pattern: RegExp): boolean => typeof text === 'string' && pattern.test(text);

/** For strings that rarely change between values: compared with the previous one, and scanned only once. */
const fitting = (pattern: RegExp): ((text: unknown) => boolean) => {
  let last: unknown = Symbol('none yet');
  return (text) => {
    if (text === last) return true;
    if (!fits(text, pattern)) return false;
    last = text;
    return true;
  };
};

const isAccount = fitting(idPattern);
const isDevice = fitting(idPattern);
const isKey = fitting(idPattern);
const isContentType = fitting(plainPattern);
const isInstant = fitting(instantPattern);
const isTimeOfDevice = fitting(instantPattern);

const isCount = (number: unknown): boolean => Number.isSafeInteger(number) && (number as number) >= 0;

const itemText = ({ ep, path, ct, payload, 'max-age': maxAge }: ResourceValueArrived['item']): string | undefined =>
  isDevice(ep) &&
  fits(path, resourcePathPattern) &&
  isContentType(ct) &&
  fits(payload, base64Pattern) &&
  isCount(maxAge)
    ? `{"ep":"${ep}","path":"${path}","ct":"${ct}","payload":"${payload}","max-age":${maxAge}}`
    : undefined;

/** Keys; undefined if one of them is invalid. */
const idsText = (ids: readonly string[]): string | undefined => {
  if (!Array.isArray(ids)) return undefined;
  let text = '';
  for (const id of ids) {
    if (!isKey(id)) return undefined;
    text += text === '' ? `"${id}"` : `,"${id}"`;
  }
  return text;
};

const isNamed = (name: unknown): boolean =>
  fits(name, plainPattern) && (name as string).length > 0 && (name as string).length <= endpointNameMax;

/** Writes what the schema and JSON.stringify would; undefined for a value that needs them. */
export const valueText = (value: ResourceValueArrived): FramedText | undefined => {
  const {
    item: given,
    cause,
    deviceId,
    accountId,
    endpointName,
    epoch,
    sequence,
    observedAt,
    measuredAt,
    audience,
    answer,
    objectVersions,
  } = value;
  // Rare.
  if (answer !== undefined || objectVersions !== undefined) return undefined;
  const item = given ? itemText(given) : undefined;
  const ids = idsText(audience);
  if (item === undefined || ids === undefined || !causes.includes(cause)) return undefined;
  if (!isDevice(deviceId) || !isAccount(accountId) || !isInstant(observedAt)) return undefined;
  if (measuredAt !== undefined && !isTimeOfDevice(measuredAt)) return undefined;
  const measured = measuredAt === undefined ? '' : `"measuredAt":"${measuredAt}",`;
  if (!isNamed(endpointName) || !isCount(epoch) || !isCount(sequence)) return undefined;
  return {
    item,
    rest: `"cause":"${cause}","deviceId":"${deviceId}","accountId":"${accountId}","endpointName":"${endpointName}","epoch":${epoch},"sequence":${sequence},"observedAt":"${observedAt}",${measured}"audience":[${ids}]}`,
  };
};
