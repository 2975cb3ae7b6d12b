import {
  addRoot,
  answerFormatOf,
  chooseAccept,
  contentFormat,
  encodePaths,
  isPath,
  type ModelRegistry,
  numberFor,
  parsePath,
} from '@lanyard/lwm2m';
import type { Target } from '../sessions/observations.js';
import type { RegistrationData } from '../sessions/session.js';
import type { DeviceRequest } from '../transport/device-link.js';
import { formatOf, writeFormat } from './formats.js';
import type { Operation } from './operation.js';

/** One operation on a path of a device. */
export interface OperationRequest {
  operation: Operation;
  path: string;
  query: readonly string[];
  /** Media types from the sender of the command. */
  accept: string | null;
  contentType: string | null;
  payload: Buffer | null;
}

const acceptFor = ({ contentFormats }: RegistrationData, path: string, models: ModelRegistry): number => {
  const { object, resource } = parsePath(path);
  return chooseAccept(path, resource === undefined ? undefined : models.resource(object, resource), contentFormats);
};

/** The number that the device uses for a media type; a number from the sender is not changed. */
const numberOf = (mediaType: string, { contentFormats }: RegistrationData): number | undefined => {
  const format = formatOf(mediaType);
  return format === undefined || mediaType === String(format) ? format : numberFor(format, contentFormats);
};

/** The format that the sender names, or else the fallback, as a number that the device knows. */
const formatFor = (data: RegistrationData, { contentType }: OperationRequest, fallback: number): number =>
  (contentType === null ? undefined : numberOf(contentType, data)) ?? numberFor(fallback, data.contentFormats);

const content = (data: RegistrationData, request: OperationRequest, fallback: number): Partial<DeviceRequest> => {
  const { payload } = request;
  if (payload === null || payload.length === 0) return {};
  const format = formatFor(data, request, fallback);
  return { payload: addRoot(format, payload, data.rootPath), contentFormat: format };
};

/** `requested`: null lets the device choose. */
const read = (
  data: RegistrationData,
  path: string,
  requested: number | null | undefined,
  models: ModelRegistry,
): DeviceRequest => {
  const accept = requested === undefined ? acceptFor(data, path, models) : (requested ?? undefined);
  return { method: 'GET', path: data.rootPath + path, ...(accept !== undefined && { accept }) };
};

/**
 * The paths are in the payload, which the sender wrote. Unless the sender requests another format, the answer has the format
 * of the payload, or SenML if that is SenML-ETCH.
 */
const composite = (data: RegistrationData, request: OperationRequest): DeviceRequest => {
  const { rootPath } = data;
  const format = contentFormat.senmlJson;
  const carried = { contentFormat: format, ...content(data, request, format) };
  if (request.operation === 'write-composite') return { method: 'IPATCH', path: rootPath || '/', ...carried };
  const accept =
    (request.accept === null ? undefined : formatOf(request.accept)) ?? answerFormatOf(carried.contentFormat);
  return { method: 'FETCH', path: rootPath || '/', ...carried, accept };
};

/** The instance that a device says it created (LwM2M 1.1 core §6.3.5); undefined when it names none. */
export const createdPath = (rootPath: string, location: readonly string[]): string | undefined => {
  const whole = `/${location.join('/')}`;
  const path = whole.startsWith(`${rootPath}/`) ? whole.slice(rootPath.length) : whole;
  return location.length >= 2 && isPath(path) && path.split('/').length === 3 ? path : undefined;
};

/** The operations of LwM2M 1.1 core §6.3 as CoAP requests (LwM2M 1.1 transport §6.4). */
export const requestFor = (data: RegistrationData, request: OperationRequest, models: ModelRegistry): DeviceRequest => {
  const path = data.rootPath + request.path;
  switch (request.operation) {
    case 'read':
      return read(data, request.path, request.accept === null ? undefined : numberOf(request.accept, data), models);
    case 'discover':
      // In LwM2M 1.2, the query may contain a depth.
      return {
        method: 'GET',
        path,
        accept: contentFormat.linkFormat,
        ...(request.query.length > 0 && { query: request.query }),
      };
    case 'observe':
      return observeRequest(data, { path: request.path }, models);
    case 'write': {
      // An empty value has a format, too.
      const format = formatFor(data, request, writeFormat(request.path, models));
      const empty = { payload: Buffer.alloc(0), contentFormat: format };
      return { method: 'PUT', path, query: request.query, ...empty, ...content(data, request, format) };
    }
    case 'write-attributes':
      return { method: 'PUT', path, query: request.query };
    case 'write-partial':
    case 'create':
      return { method: 'POST', path, query: request.query, ...content(data, request, contentFormat.tlv) };
    case 'execute':
      return { method: 'POST', path, query: request.query, ...content(data, request, contentFormat.text) };
    case 'delete':
      return { method: 'DELETE', path };
    case 'read-composite':
    case 'write-composite':
    case 'observe-composite':
      return composite(data, request);
  }
};

/** A package is opaque (LwM2M 1.1 core appendix E.6). */
export const pushRequest = (data: RegistrationData, path: string): DeviceRequest => ({
  method: 'PUT',
  path: data.rootPath + path,
  contentFormat: numberFor(contentFormat.opaque, data.contentFormats),
});

/** The same request creates the observation, fetches further blocks of a notification, and cancels the observation. */
export const observeRequest = (
  data: RegistrationData,
  { path, attributes, together, accept }: Target,
  models: ModelRegistry,
): DeviceRequest => {
  if (!together) return { ...read(data, path, accept, models), ...(attributes && { query: attributes.split('&') }) };
  const { paths, format } = together;
  const { rootPath } = data;
  const payload = addRoot(format, encodePaths(format, paths), rootPath);
  const request = { method: 'FETCH', path: rootPath || '/', payload, contentFormat: format } as const;
  return { ...request, accept: accept ?? answerFormatOf(format) };
};

/** The default format for lists of paths: JSON, unless the device lists CBOR only. */
export const pathsFormat = ({ contentFormats }: RegistrationData): number => {
  const { senmlCbor, senmlJson } = contentFormat;
  return contentFormats.includes(senmlCbor) && !contentFormats.includes(senmlJson) ? senmlCbor : senmlJson;
};
