import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import { contentFormat, encodeValues, type ResourceValue, UnsupportedFormat } from '@lanyard/lwm2m';
import { type Catalogue, type Resource, type Thing } from './catalogue.js';

/** The operations of requests on a device. */
export interface Asked extends Thing {
  readonly catalogue: Catalogue;
  /** Written values. */
  written(path: string): string | undefined;
  write(path: string, value: string): void;
  watch(path: string, token: Buffer): void;
  unwatch(path: string): void;
  execute(path: string, args: string): void;
}

/** The device's response to a request of the server (LwM2M 1.1 core §6.3). */
export const answer = (device: Asked, request: CoapRequest): CoapResponse => {
  const path = `/${request.path.join('/')}`;
  switch (request.method) {
    case Code.GET:
      return request.accept === contentFormat.linkFormat ? discover(device, path) : read(device, path, request);
    case Code.PUT:
      return write(device, path, request);
    case Code.POST:
      return execute(device, path, request);
    default:
      return { code: Code.MethodNotAllowed };
  }
};

const discover = (device: Asked, path: string): CoapResponse => {
  const links = device.catalogue.below(path).map((resource) => `<${resource.path}>`);
  if (links.length === 0) return { code: Code.NotFound };
  return { code: Code.Content, payload: Buffer.from(links.join(',')), contentFormat: contentFormat.linkFormat };
};

const valueOf = (device: Asked, { path, type, read: initial }: Resource): ResourceValue[] =>
  initial ? [{ path, type, value: device.written(path) ?? initial(device) }] : [];

const read = (device: Asked, path: string, request: CoapRequest): CoapResponse => {
  const found = device.catalogue.below(path);
  if (found.length === 0) return { code: Code.NotFound };
  const values = found.flatMap((resource) => valueOf(device, resource));
  if (values.length === 0) return { code: Code.MethodNotAllowed };
  const single = device.catalogue.get(path) !== undefined;
  const format = request.accept ?? (single ? contentFormat.text : contentFormat.senmlJson);
  try {
    const content = { code: Code.Content, payload: encodeValues(format, path, values), contentFormat: format };
    return { ...content, ...observe(device, path, request) };
  } catch (error) {
    if (error instanceof UnsupportedFormat) return { code: Code.NotAcceptable };
    throw error;
  }
};

/** Single resources can be observed. */
const observe = (device: Asked, path: string, { observe: option, token }: CoapRequest): { observe?: number } => {
  if (option === 1) device.unwatch(path);
  if (option !== 0 || !device.catalogue.get(path)) return {};
  device.watch(path, token);
  return { observe: 0 };
};

const write = (device: Asked, path: string, { query, payload }: CoapRequest): CoapResponse => {
  const found = device.catalogue.below(path);
  if (found.length === 0) return { code: Code.NotFound };
  // Write attributes are accepted but ignored, because the simulator determines the rate.
  if (query.length > 0 && payload.length === 0) return { code: Code.Changed };
  if (!device.catalogue.get(path)?.writable) return { code: Code.MethodNotAllowed };
  device.write(path, payload.toString());
  return { code: Code.Changed };
};

const execute = (device: Asked, path: string, { payload }: CoapRequest): CoapResponse => {
  if (device.catalogue.below(path).length === 0) return { code: Code.NotFound };
  if (!device.catalogue.get(path)?.executable) return { code: Code.MethodNotAllowed };
  device.execute(path, payload.toString());
  return { code: Code.Changed };
};
