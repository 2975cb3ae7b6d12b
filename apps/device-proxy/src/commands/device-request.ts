import { isPath } from '@lanyard/lwm2m';
import { fieldProblems } from '@lanyard/service';
import { z } from 'zod';
import { compositePaths, formatOf } from '../downlink/formats.js';
import { bodyToken } from './body-schema.js';
import { MalformedAsyncId, MalformedCommand, MalformedPath } from '../errors.js';
import {
  defaultExpirySeconds,
  defaultRetry,
  expirySeconds,
  observedTogetherMax,
  retryMax,
  waitSeconds,
} from './limits.js';

/** Clients send numbers as text, too. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;

const seconds = z.preprocess(numberOf, z.number().int().min(expirySeconds.min).max(expirySeconds.max));

const mediaType = z
  .string()
  .refine((text) => formatOf(text) !== undefined, 'Must be a media type that devices support');

/** False if the end of the text is missing: a last group of one character is less than a byte. */
const isWhole = (base64: string): boolean => {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  return (base64.length - padding) % 4 !== 1;
};

/** Body of POST /v2/device-requests/{device-id} (spec §2.7). */
export const DeviceRequestSchema = z.strictObject({
  method: z
    .enum(['GET', 'PUT', 'POST', 'DELETE', 'FETCH', 'IPATCH'])
    .describe(
      'FETCH and IPATCH read and write several paths in one request: uri is `/`, and the payload names the paths, in SenML or SenML-ETCH, for IPATCH also in LwM2M CBOR',
    ),
  uri: z.string().min(1).max(255).describe('`/<object>/<instance>/<resource>`, with write attributes as its query'),
  observe: z
    .boolean()
    .optional()
    .describe(
      'With FETCH: subscribes to the paths in the payload, which the device then reports together. Requires the permission `subscriptions` as well',
    ),
  accept: mediaType.optional().describe('Media type requested'),
  'content-type': mediaType.optional().describe('Media type of the payload'),
  'payload-b64': z
    .string()
    .regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'Must be base64')
    .refine(isWhole, 'Must be base64')
    .optional(),
  expiry_seconds: seconds
    .optional()
    .describe('How long the command may wait, in seconds; the query parameter takes precedence'),
  'expiry-seconds': seconds.optional(),
});

export type DeviceRequestQuery = Partial<Record<'async-id' | 'retry' | 'expiry-seconds' | 'wait', string>>;

export const readPath = (name: string, path: string): string => {
  if (!isPath(path)) throw new MalformedPath(name);
  return path;
};

const asyncId = /^[\w-]{1,40}$/;

/** A parameter that is given more than once is a list. */
const readNumber = (name: string, text: unknown, schema: z.ZodType<number>): number => {
  if (typeof text !== 'string') throw new MalformedCommand(name, 'Given more than once');
  const read = schema.safeParse(text.trim() === '' ? undefined : Number(text));
  if (!read.success) throw new MalformedCommand(name, read.error.issues[0]?.message ?? 'Not a number');
  return read.data;
};

export interface Timing {
  retryMax: number;
  expirySeconds: number;
}

export const defaultTiming = (queueMode: boolean): Timing => {
  const kind = queueMode ? 'queueMode' : 'awake';
  return { retryMax: defaultRetry[kind], expirySeconds: defaultExpirySeconds[kind] };
};

export interface DeviceRequest extends Timing {
  asyncId: string;
  method: z.infer<typeof DeviceRequestSchema>['method'];
  path: string;
  query: string[];
  accept: string | null;
  contentType: string | null;
  payload: Buffer | null;
}

/** `observe`: the paths are observed from now on. */
export type ReadRequest = DeviceRequest & { observe: boolean };

/** Write attributes are separated by `&`; one published text uses `;`. */
const splitUri = (uri: string, composite: boolean): { path: string; query: string[] } => {
  const [path = '', query = ''] = uri.split(/\?(.*)/s);
  const absolute = (path.startsWith('/') ? path : `/${path}`).replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
  return {
    path: absolute === '/' && composite ? '/' : readPath('uri', absolute),
    query: query.split(/[&;]/).filter(Boolean),
  };
};

/** The paths in the payload, which is validated before the command waits for the device. */
export const compositePathsIn = ({ method, path, contentType, payload }: DeviceRequest): string[] => {
  if (path !== '/')
    throw new MalformedCommand('uri', 'FETCH and IPATCH require the uri /: the payload contains the paths');
  const read = compositePaths(method === 'FETCH' ? 'read' : 'write', contentType, payload);
  if ('problem' in read) throw new MalformedCommand('payload-b64', read.problem);
  return read.paths;
};

const checkObserved = (request: DeviceRequest): void => {
  if (request.method !== 'FETCH') throw new MalformedCommand('observe', 'Only FETCH supports it');
  const { length } = compositePathsIn(request);
  if (length > observedTogetherMax) throw new MalformedCommand('payload-b64', `More than ${observedTogetherMax} paths`);
};

/** How long the caller waits for the result; undefined if it does not. */
export const readWait = ({ wait }: DeviceRequestQuery): number | undefined =>
  wait === undefined ? undefined : readNumber('wait', wait, z.number().int().min(waitSeconds.min).max(waitSeconds.max));

/** Parses the query and the body of a request. Throws MalformedAsyncId, MalformedCommand or MalformedPath. */
export const readDeviceRequest = (query: DeviceRequestQuery, body: unknown, queueMode: boolean): ReadRequest => {
  if (!asyncId.test(query['async-id'] ?? '')) throw new MalformedAsyncId();
  const read = DeviceRequestSchema.safeParse(body);
  if (!read.success) {
    const [{ name, message } = { name: 'body', message: 'Not valid' }] = fieldProblems(read.error.issues);
    throw new MalformedCommand(name, message, bodyToken(read.error, body));
  }
  const request = read.data;
  const defaults = defaultTiming(queueMode);
  const expiry = query['expiry-seconds'];
  const composite = request.method === 'FETCH' || request.method === 'IPATCH';
  const payload = request['payload-b64'] === undefined ? null : Buffer.from(request['payload-b64'], 'base64');
  const uri = splitUri(request.uri, composite);
  const made: ReadRequest = {
    asyncId: query['async-id'] as string,
    method: request.method,
    observe: request.observe ?? false,
    ...uri,
    accept: request.accept ?? null,
    contentType: request['content-type'] ?? null,
    payload,
    retryMax:
      query.retry === undefined
        ? defaults.retryMax
        : readNumber('retry', query.retry, z.number().int().min(0).max(retryMax)),
    expirySeconds:
      expiry === undefined
        ? (request.expiry_seconds ?? request['expiry-seconds'] ?? defaults.expirySeconds)
        : readNumber('expiry-seconds', expiry, z.number().int().min(expirySeconds.min).max(expirySeconds.max)),
  };
  if (composite) compositePathsIn(made);
  if (made.observe) checkObserved(made);
  return made;
};
