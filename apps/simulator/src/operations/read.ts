import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import {
  answerFormatOf,
  contentFormat,
  isPath,
  Malformed,
  namesIn,
  readCompositeFormats,
  type ResourceValue,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import { areConsistent, type Attributes, parseAttributes, withoutCleared } from '../objects/attributes.js';
import { discover } from '../objects/links.js';
import { encodeFor } from '../observation/encode.js';
import { type RequestTarget } from './request-target.js';

/** Read, Observe, Discover (LwM2M 1.2 core §6.3.1 to §6.3.3, §6.4.1). */
export const readOrDiscover = (device: RequestTarget, path: string, request: CoapRequest): CoapResponse =>
  request.accept === contentFormat.linkFormat ? links(device, path, request) : read(device, path, request);

const links = ({ store }: RequestTarget, path: string, { query }: CoapRequest): CoapResponse => {
  const depth = query.find((part) => /^depth=\d$/.test(part));
  const payload = discover(store, path, depth === undefined ? undefined : Number(depth.slice(-1)));
  if (!payload) return { code: Code.NotFound };
  return { code: Code.Content, payload, contentFormat: contentFormat.linkFormat };
};

const content = (
  { store }: RequestTarget,
  base: string | undefined,
  accept: number | undefined,
  values: readonly ResourceValue[],
): CoapResponse => {
  try {
    const encoded = encodeFor({ base, accept, formats: store.catalogue.formats }, values);
    return encoded ? { code: Code.Content, ...encoded } : { code: Code.NotAcceptable };
  } catch (error) {
    if (error instanceof Malformed) return { code: Code.NotAcceptable };
    throw error;
  }
};

/** The attributes in the request itself; undefined when they are wrong. Devices of earlier versions ignore the query. */
const ownAttributes = (
  { store }: RequestTarget,
  path: string,
  { observe, query }: Pick<CoapRequest, 'observe' | 'query'>,
): Attributes | undefined => {
  const { version } = store.catalogue;
  if (observe === undefined || version !== '1.2') return {};
  const changes = parseAttributes(query, version);
  const attributes = changes && withoutCleared(changes);
  return attributes && areConsistent(attributes, store.get(path)?.type) ? attributes : undefined;
};

const read = (device: RequestTarget, path: string, request: CoapRequest): CoapResponse => {
  const { accept, observe, token } = request;
  if (device.store.below(path).length === 0) return { code: Code.NotFound };
  const values = device.store.values([path]);
  if (values.length === 0) return { code: Code.MethodNotAllowed };
  const attributes = ownAttributes(device, path, request);
  if (!attributes) return { code: Code.BadRequest };
  const answer = content(device, path, accept, values);
  if (answer.code !== Code.Content) return answer;
  const own = Object.keys(attributes).length > 0 && { attributes };
  return { ...answer, ...observing(device, { paths: [path], token, accept, isComposite: false, ...own }, observe) };
};

const observing = (
  device: RequestTarget,
  request: Parameters<RequestTarget['watch']>[0],
  observe: number | undefined,
): { observe?: number } => {
  if (observe === 1) device.unwatch(request);
  if (observe !== 0) return {};
  device.watch(request);
  return { observe: 0 };
};

/** Read-Composite and Observe-Composite (§6.3.8, §6.4.4). Paths that do not exist are left out. */
export const readComposite = (device: RequestTarget, request: CoapRequest): CoapResponse => {
  const { contentFormat: format = -1, payload, observe, token } = request;
  if (!readCompositeFormats.includes(format)) return { code: Code.UnsupportedContentFormat };
  const paths = pathsIn(format, payload);
  if (!paths) return { code: Code.BadRequest };
  const values = device.store.values(paths);
  if (values.length === 0) return { code: Code.NotFound };
  const accept = request.accept ?? answerFormatOf(format);
  const answer = content(device, undefined, accept, values);
  if (answer.code !== Code.Content) return answer;
  return { ...answer, ...observing(device, { paths, token, accept, isComposite: true }, observe) };
};

const pathsIn = (format: number, payload: Buffer): string[] | undefined => {
  try {
    const names = namesIn(format, payload);
    return names.length > 0 && names.every((name) => name === '/' || isPath(name)) ? names : undefined;
  } catch (error) {
    if (error instanceof Malformed || error instanceof UnsupportedFormat) return undefined;
    throw error;
  }
};
