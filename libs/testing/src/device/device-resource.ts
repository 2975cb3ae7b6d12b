import { encodeValues, parsePath, standardModels } from '@lanyard/lwm2m';

/** Content-Formats that the device client speaks. */
export const textPlain = 0;
export const linkFormat = 40;
export const senmlJson = 110;
export const tlv = 11_542;

/** What a device supports that says nothing else. */
export const defaultFormats: readonly number[] = [textPlain, 42, senmlJson, tlv];

/** Formats that name their paths, in the order of preference of the device. */
const namingFormats: readonly number[] = [senmlJson, 112, 11_544];

export type ResourceValue = string | number | boolean | Buffer;

/** What a resource does when the server asks for it. A missing handler answers 4.05. */
export interface DeviceResource {
  /** Its present value; text and numbers travel as text/plain, bytes as opaque. */
  read?: () => ResourceValue;
  /** Throwing answers 4.00. */
  write?: (payload: Buffer, contentFormat: number | undefined) => void;
  execute?: (args: string) => void | Promise<void>;
  /** Default: what can be read can be observed. */
  observable?: boolean;
}

export interface EncodedValue {
  payload: Buffer;
  contentFormat: number;
}

export const encodeValue = (value: ResourceValue): EncodedValue =>
  Buffer.isBuffer(value)
    ? { payload: value, contentFormat: 42 }
    : { payload: Buffer.from(String(value)), contentFormat: textPlain };

const senmlRecord = (name: string, value: ResourceValue): object => {
  if (Buffer.isBuffer(value)) return { n: name, vd: value.toString('base64url') };
  if (typeof value === 'number') return { n: name, v: value };
  return typeof value === 'boolean' ? { n: name, vb: value } : { n: name, vs: value };
};

/** Several resources in one SenML JSON pack, each under its full path. */
export const encodePack = (values: readonly (readonly [path: string, value: ResourceValue])[]): EncodedValue => ({
  payload: Buffer.from(JSON.stringify(values.map(([path, value]) => senmlRecord(path, value)))),
  contentFormat: senmlJson,
});

const models = standardModels();

const typeOf = (path: string, value: ResourceValue) => {
  const { object, resource } = parsePath(path);
  const known = object === undefined || resource === undefined ? undefined : models.resource(object, resource);
  return known?.type ?? (Buffer.isBuffer(value) ? 'opaque' : 'string');
};

type Values = readonly (readonly [path: string, value: ResourceValue])[];

const encodeIn = (format: number, base: string, values: Values): EncodedValue => ({
  payload: encodeValues(
    format,
    base,
    values.map(([path, value]) => {
      const type = typeOf(path, value);
      return { path, type, value: type === 'string' ? String(value) : value };
    }),
  ),
  contentFormat: format,
});

/** Several resources, each under its full path, in the accepted format, or in one that the device prefers. */
export const encodeTogether = (
  accept: number | undefined,
  values: Values,
  formats: readonly number[] = defaultFormats,
): EncodedValue | undefined => {
  const supported = namingFormats.filter((one) => formats.includes(one));
  const format = accept ?? supported[0];
  if (format === undefined || !supported.includes(format)) return undefined;
  return format === senmlJson ? encodePack(values) : encodeIn(format, '/0', values);
};

/**
 * The present values at `base` in the format that the server accepts: of a resource text or bytes when it names none, of
 * an instance or an object the first of `formats` for several values. undefined: the device has no such format (4.06).
 */
export const encodeAs = (
  accept: number | undefined,
  base: string,
  values: Values,
  formats: readonly number[] = defaultFormats,
): EncodedValue | undefined => {
  const [first] = values;
  const single = first && values.length === 1 && first[0] === base ? encodeValue(first[1]) : undefined;
  if (single && (accept === undefined || accept === single.contentFormat)) return single;
  if (single && accept === 60 && formats.includes(accept)) return encodeIn(accept, base, values);
  if (accept === tlv && formats.includes(tlv)) return encodeIn(tlv, base, values);
  return encodeTogether(accept, values, formats);
};
