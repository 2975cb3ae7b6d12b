import { encodeValues, parsePath, standardModels } from '@lanyard/lwm2m';

/** Content-Formats that the device client speaks. */
export const textPlain = 0;
export const linkFormat = 40;
export const senmlJson = 110;
export const tlv = 11_542;

/** The formats of a device whose options name none. */
export const defaultFormats: readonly number[] = [textPlain, 42, senmlJson, tlv];

/** Formats whose payloads name their paths, in the device's order of preference. */
const namingFormats: readonly number[] = [senmlJson, 112, 11_544];

export type ResourceValue = string | number | boolean | Buffer;

/** What a resource does when the server requests it. Without the handler, the device answers 4.05. */
export interface DeviceResource {
  /** Its current value; texts and numbers are sent as text/plain, bytes as opaque. */
  read?: () => ResourceValue;
  /** If it throws, the device answers 4.00. */
  write?: (payload: Buffer, contentFormat: number | undefined) => void;
  execute?: (args: string) => void | Promise<void>;
  /** By default, every readable resource can be observed. */
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
 * The current values at `base` in the format that the server accepts. If it names none, a resource is sent as text or
 * bytes, and an instance or an object in the first of `formats` for several values. undefined: the device does not have the
 * format (4.06).
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
