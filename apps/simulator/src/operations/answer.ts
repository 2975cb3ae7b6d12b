import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import { isPath, parsePath } from '@lanyard/lwm2m';
import { create, remove } from './instances.js';
import { readComposite, readOrDiscover } from './read.js';
import { type RequestTarget } from './request-target.js';
import { write, writeComposite } from './write.js';

/** Servers have no access to this object (LwM2M 1.2 core appendix E.1). */
const securityObject = '0';

/** The device's response to a request of its server (LwM2M 1.2 core §6.3, §6.4). */
export const answer = (device: RequestTarget, request: CoapRequest): CoapResponse => {
  const path = `/${request.path.join('/')}`;
  if (request.path.length === 0) return answerComposite(device, request);
  if (request.path[0] === securityObject) return { code: Code.Unauthorized };
  if (!isPath(path)) return { code: Code.NotFound };
  switch (request.method) {
    case Code.GET:
      return readOrDiscover(device, path, request);
    case Code.PUT:
      return write(device, path, request, { replace: true });
    case Code.POST:
      return post(device, path, request);
    case Code.DELETE:
      return remove(device, path);
    default:
      return { code: Code.MethodNotAllowed };
  }
};

/** Composite operations have no path, and exist since LwM2M 1.1. */
const answerComposite = (device: RequestTarget, request: CoapRequest): CoapResponse => {
  if (device.store.catalogue.version === '1.0') return { code: Code.MethodNotAllowed };
  if (request.method === Code.FETCH) return readComposite(device, request);
  if (request.method === Code.IPATCH) return writeComposite(device, request);
  return { code: Code.MethodNotAllowed };
};

/** Create on an object, partial update of an instance, execute of a resource. */
const post = (device: RequestTarget, path: string, request: CoapRequest): CoapResponse => {
  const { instance, resource } = parsePath(path);
  if (instance === undefined) return create(device, path, request);
  if (resource === undefined) return write(device, path, request, { replace: false });
  if (device.store.below(path).length === 0) return { code: Code.NotFound };
  if (!device.store.get(path)?.executable) return { code: Code.MethodNotAllowed };
  const args = request.payload.toString();
  return { code: isArguments(args) ? device.execute(path, args) : Code.BadRequest };
};

/** `0='a',1,5='b'` (§6.3.6). */
const isArguments = (args: string): boolean => /^(\d(='[^']*')?(,\d(='[^']*')?)*)?$/.test(args);
