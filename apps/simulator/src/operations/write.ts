import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import {
  contentFormat,
  covers,
  decodeValues,
  decodeWriteComposite,
  Malformed,
  type ModelRegistry,
  namesIn,
  parsePath,
  type ResourceValue,
  type Scalar,
  standardModels,
  UnsupportedFormat,
  writeCompositeFormats,
} from '@lanyard/lwm2m';
import { conforms } from '../objects/conform.js';
import { parseAttributes } from '../objects/attributes.js';
import { type RequestTarget } from './request-target.js';

const lifetimePath = '/1/0/1';

let models: ModelRegistry | undefined;
const registry = (): ModelRegistry => (models ??= standardModels());

/** The values of a payload, or the code of the refusal. */
const decoded = (decode: () => ResourceValue[]): ResourceValue[] | number => {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UnsupportedFormat) return Code.UnsupportedContentFormat;
    if (error instanceof Malformed) return Code.BadRequest;
    throw error;
  }
};

/** The values of a write to one path. The resources that the payload names must be at this path or below it. */
export const valuesOf = (
  { store }: RequestTarget,
  path: string,
  { payload, contentFormat: format = contentFormat.text }: Pick<CoapRequest, 'payload' | 'contentFormat'>,
): ResourceValue[] | number => {
  if (!store.catalogue.formats.includes(format)) return Code.UnsupportedContentFormat;
  const values = decoded(() => decodeValues(format, payload, path, registry()));
  if (typeof values === 'number') return values;
  return values.every((value) => covers(path, value.path)) ? values : Code.BadRequest;
};

/** The response code that refuses a value; undefined if the value can be written. */
const refusalOf = ({ store }: RequestTarget, { path, value }: ResourceValue): number | undefined => {
  const resource = store.get(path);
  if (!resource) return Code.NotFound;
  if (!resource.writable) return Code.MethodNotAllowed;
  if (path === lifetimePath && Number(value) < 0) return Code.BadRequest;
  return conforms(value, resource.type) ? undefined : Code.BadRequest;
};

const stored = (device: RequestTarget, path: string, value: Scalar): number | undefined => {
  const code = device.accept(path, value);
  if (code === undefined) device.store.write(path, value);
  return code;
};

/**
 * Checks that all values can be written, and then writes them in order. If the device itself refuses one (`accept`),
 * those before it stay written. @returns The response code.
 */
export const writeAll = (device: RequestTarget, values: readonly ResourceValue[]): number => {
  for (const value of values) {
    const refusal = refusalOf(device, value);
    if (refusal !== undefined) return refusal;
  }
  for (const { path, value } of values) {
    const code = stored(device, path, value);
    if (code !== undefined && code !== Code.Changed) return code;
  }
  device.changed(values.map(({ path }) => path));
  return Code.Changed;
};

/** Write and Write-Attributes (LwM2M 1.2 core §6.3.4, §6.3.5). `replace`: resources that the payload of an instance omits are reset. */
export const write = (
  device: RequestTarget,
  path: string,
  request: CoapRequest,
  { replace }: { replace: boolean },
): CoapResponse => {
  if (device.store.below(path).length === 0) return { code: Code.NotFound };
  if (request.query.length > 0 && request.payload.length === 0) return writeAttributes(device, path, request);
  const { instance, resource } = parsePath(path);
  if (instance === undefined) return { code: Code.MethodNotAllowed };
  const values = valuesOf(device, path, request);
  if (typeof values === 'number') return { code: values };
  const refusal = values.map((value) => refusalOf(device, value)).find((code) => code !== undefined);
  if (refusal !== undefined) return { code: refusal };
  if (replace && resource === undefined) device.store.resetInstance(path);
  return { code: writeAll(device, values) };
};

const writeAttributes = (device: RequestTarget, path: string, { query }: CoapRequest): CoapResponse => {
  const { store } = device;
  const changes = parseAttributes(query, store.catalogue.version);
  if (!changes || !store.changeAttributes(path, changes)) return { code: Code.BadRequest };
  device.attributesChanged(path);
  return { code: Code.Changed };
};

/** Write-Composite (§6.3.9): writes everything or nothing. Records without a value remove resource instances. */
export const writeComposite = (
  device: RequestTarget,
  { payload, contentFormat: format = -1 }: CoapRequest,
): CoapResponse => {
  if (!writeCompositeFormats.includes(format)) return { code: Code.UnsupportedContentFormat };
  const values = decoded(() => decodeWriteComposite(format, payload, registry()));
  if (typeof values === 'number') return { code: values };
  const named = new Set(namesIn(format, payload));
  for (const { path } of values) named.delete(path);
  // No resource of these devices has instances that a server may remove.
  if (named.size > 0) return { code: Code.MethodNotAllowed };
  return { code: writeAll(device, values) };
};
