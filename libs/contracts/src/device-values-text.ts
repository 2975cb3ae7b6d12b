import type { ResourceValueArrived } from './device-values.js';
import { base64Pattern, idPattern, instantPattern, resourcePathPattern } from './fields.js';
import type { FramedText } from './topic.js';

/** ASCII that JSON writes as it is. */
const plainPattern = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

const causes: readonly string[] = [
  'notify',
  'read',
  'auto-observation',
  'send',
] satisfies ResourceValueArrived['cause'][];

const endpointNameMax = 255;

/** Also for what callers without types give. */
const fits = (text: unknown, pattern: RegExp): boolean => typeof text === 'string' && pattern.test(text);

const isCount = (number: unknown): boolean => Number.isSafeInteger(number) && (number as number) >= 0;

const itemText = ({ ep, path, ct, payload, 'max-age': maxAge }: ResourceValueArrived['item']): string | undefined =>
  fits(ep, idPattern) &&
  fits(path, resourcePathPattern) &&
  fits(ct, plainPattern) &&
  fits(payload, base64Pattern) &&
  isCount(maxAge)
    ? `{"ep":"${ep}","path":"${path}","ct":"${ct}","payload":"${payload}","max-age":${maxAge}}`
    : undefined;

/** Keys; undefined when one of them is none. */
const idsText = (ids: readonly string[]): string | undefined => {
  if (!Array.isArray(ids)) return undefined;
  let text = '';
  for (const id of ids) {
    if (!fits(id, idPattern)) return undefined;
    text += text === '' ? `"${id}"` : `,"${id}"`;
  }
  return text;
};

const isNamed = (name: unknown): boolean =>
  fits(name, plainPattern) && (name as string).length > 0 && (name as string).length <= endpointNameMax;

/** What the schema of values takes and JSON.stringify writes, written out; undefined for what they have to see. */
export const valueText = (value: ResourceValueArrived): FramedText | undefined => {
  const { item: given, cause, deviceId, accountId, endpointName, epoch, sequence, observedAt, audience } = value;
  const item = given ? itemText(given) : undefined;
  const ids = idsText(audience);
  if (item === undefined || ids === undefined || !causes.includes(cause)) return undefined;
  if (!fits(deviceId, idPattern) || !fits(accountId, idPattern) || !fits(observedAt, instantPattern)) return undefined;
  if (!isNamed(endpointName) || !isCount(epoch) || !isCount(sequence)) return undefined;
  return {
    item,
    rest: `"cause":"${cause}","deviceId":"${deviceId}","accountId":"${accountId}","endpointName":"${endpointName}","epoch":${epoch},"sequence":${sequence},"observedAt":"${observedAt}","audience":[${ids}]}`,
  };
};
