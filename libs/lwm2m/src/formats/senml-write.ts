import { Malformed } from '../errors.js';
import { type CborItem, encodeCborItem } from './cbor.js';
import { labelsOfNames } from './senml.js';
import { formatLink, isObjectLink, type ResourceValue, type Scalar } from '../values/value.js';

type Member = [name: string, value: string | number | bigint | boolean | Buffer];

const valueMember = (value: Scalar): Member => {
  if (typeof value === 'string') return ['vs', value];
  if (typeof value === 'boolean') return ['vb', value];
  if (Buffer.isBuffer(value)) return ['vd', value];
  if (isObjectLink(value)) return ['vlo', formatLink(value)];
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Malformed('senml', `cannot carry ${value}`);
  return ['v', value];
};

/** Each record has its full path: no base values, so that records can be read one by one. */
const membersOf = ({ path, value, timeMs }: ResourceValue): Member[] => [
  ['n', path],
  ...(timeMs === undefined ? [] : [['t', timeMs / 1000] satisfies Member]),
  valueMember(value),
];

const json = (value: Member[1]): string => {
  if (typeof value === 'bigint') return value.toString();
  return JSON.stringify(Buffer.isBuffer(value) ? value.toString('base64url') : value);
};

/** Throws Malformed for a number that is not finite. */
export const encodeSenmlJson = (values: readonly ResourceValue[]): Buffer => {
  const records = values.map((value) => membersOf(value).map(([name, member]) => `"${name}":${json(member)}`));
  return Buffer.from(`[${records.map((members) => `{${members.join(',')}}`).join(',')}]`);
};

/** Throws Malformed for a number that is not finite. */
export const encodeSenmlCbor = (values: readonly ResourceValue[]): Buffer =>
  encodeCborItem(
    values.map(
      (value) =>
        new Map(
          membersOf(value).map(([name, member]): [CborItem, CborItem] => [labelsOfNames.get(name) ?? name, member]),
        ),
    ),
  );
