import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import { contentFormat, decodeTlv, isPath, Malformed, namesIn, parsePath, type ResourceValue } from '@lanyard/lwm2m';
import { type RequestTarget } from './request-target.js';
import { valuesOf, writeAll } from './write.js';

const { tlv, senmlJson, senmlCbor, lwm2mCbor } = contentFormat;

/** The instance that the payload of a Create names, if any. Throws Malformed. */
const namedInstance = (format: number, payload: Buffer): number | undefined => {
  if (payload.length === 0) return undefined;
  if (format === tlv) {
    const [first] = decodeTlv(payload);
    return first?.kind === 'object-instance' ? first.id : undefined;
  }
  if (![senmlJson, senmlCbor, lwm2mCbor].includes(format as never)) return undefined;
  const name = namesIn(format, payload)[0];
  return name !== undefined && isPath(name) ? parsePath(name).instance : undefined;
};

const tolerant = (read: () => number | undefined): number | 'malformed' | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return 'malformed';
    throw error;
  }
};

/** Create (LwM2M 1.2 core §6.3.7). If the payload has no id, the device chooses one, and returns it. */
export const create = (device: RequestTarget, path: string, request: CoapRequest): CoapResponse => {
  const { store } = device;
  const { object } = parsePath(path);
  const { payload, contentFormat: format = tlv } = request;
  if (!store.catalogue.patternOf(object, 0)) {
    return { code: store.below(path).length > 0 ? Code.MethodNotAllowed : Code.NotFound };
  }
  const named = tolerant(() => namedInstance(format, payload));
  if (named === 'malformed') return { code: Code.BadRequest };
  const instance = `${path}/${named ?? store.freeInstance(object)}`;
  if (store.below(instance).length > 0) return { code: Code.BadRequest };
  const values = valuesToCreate(device, named === undefined ? instance : path, { payload, contentFormat: format });
  if (typeof values === 'number') return { code: values };
  if (!store.create(instance)) return { code: Code.InternalServerError };
  const code = writeAll(device, values);
  if (code !== Code.Changed) {
    store.delete(instance);
    return { code };
  }
  device.instancesChanged();
  return { code: Code.Created, ...(named === undefined && { locationPath: instance.split('/').slice(1) }) };
};

const valuesToCreate = (
  device: RequestTarget,
  base: string,
  request: Pick<CoapRequest, 'payload'> & { contentFormat: number },
): ResourceValue[] | number => (request.payload.length === 0 ? [] : valuesOf(device, base, request));

/** Delete of an object instance (§6.3.8). */
export const remove = (device: RequestTarget, path: string): CoapResponse => {
  const { store } = device;
  if (store.below(path).length === 0) return { code: Code.NotFound };
  const { object, instance, resource } = parsePath(path);
  const isDeletable = instance !== undefined && resource === undefined && store.catalogue.patternOf(object, 0);
  if (!isDeletable) return { code: Code.MethodNotAllowed };
  store.delete(path);
  device.instancesChanged();
  return { code: Code.Deleted };
};
