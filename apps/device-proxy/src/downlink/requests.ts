import type { RegistrationData } from '../sessions/session.js';
import type { DeviceRequest } from '../transport/device-link.js';
import { formatOf } from './formats.js';
import type { Operation } from './operation.js';

/** One operation on a path of a device. */
export interface Ask {
  operation: Operation;
  path: string;
  query: readonly string[];
  /** Media types, as the sender of the command gave them. */
  accept: string | null;
  contentType: string | null;
  payload: Buffer | null;
}
export const requestFor = (data: RegistrationData, ask: Ask): DeviceRequest => {
  const path = data.rootPath + ask.path;
  const methods = {
    read: 'GET',
    discover: 'GET',
    observe: 'GET',
    write: 'PUT',
    'write-attributes': 'PUT',
    'write-partial': 'POST',
    execute: 'POST',
    create: 'POST',
    delete: 'DELETE',
  } as const;
  const method = methods[ask.operation];
  if (method === 'GET')
    return {
      method,
      path,
      ...(ask.operation === 'discover' && { accept: 40 }),
      ...(ask.accept && { accept: formatOf(ask.accept) }),
    };
  if (ask.operation === 'write-attributes') return { method, path, query: ask.query };
  return {
    method,
    path,
    query: ask.query,
    ...(ask.payload && { payload: ask.payload, contentFormat: ask.contentType ? formatOf(ask.contentType) : 0 }),
  };
};
export const observeRequest = (data: RegistrationData, path: string): DeviceRequest => ({
  method: 'GET',
  path: data.rootPath + path,
});
