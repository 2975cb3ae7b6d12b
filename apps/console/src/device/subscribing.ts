import type { Operation } from '@lanyard/client/browser';
import { useChange } from '../api/queries.ts';

const parts = ['object', 'instance', 'resource', 'resourceInstance'];

const readAgain = ['GET /v3/devices/{deviceId}/subscriptions', 'GET /v3/devices/{deviceId}/echo'] as const;

/** Subscribes the person's key to a path of a device, or ends that. */
export const useSubscribing = (method: 'PUT' | 'DELETE', deviceId: string, path: string) => {
  const numbers = path.split('/').slice(1);
  const names = parts.slice(0, numbers.length);
  // The document has an operation for each depth of a path.
  const template = names.map((name) => `/{${name}}`).join('');
  const change = useChange(`${method} /v2/subscriptions/{deviceId}${template}` as Operation, readAgain);
  const segments = Object.fromEntries(names.map((name, n) => [name, numbers[n]]));
  return { change, input: { path: { deviceId, ...segments } } };
};
