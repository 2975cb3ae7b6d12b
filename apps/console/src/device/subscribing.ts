import type { Operation } from '@lanyard/client/browser';

const parts = ['object', 'instance', 'resource', 'resourceInstance'];

/** Operations that are read again after a subscription begins or ends. */
export const subscribed = [
  'GET /v3/devices/{deviceId}/subscriptions',
  'GET /v3/devices/{deviceId}/echo',
] as const satisfies Operation[];

/** The call that subscribes the person's key to a path of a device, or ends the subscription. */
export const subscribing = (method: 'PUT' | 'DELETE', deviceId: string, path: string) => {
  const numbers = path.split('/').slice(1);
  const names = parts.slice(0, numbers.length);
  // The API document has a separate operation for each depth of a path.
  const template = names.map((name) => `/{${name}}`).join('');
  const operation = `${method} /v2/subscriptions/{deviceId}${template}` as Operation;
  return {
    operation,
    input: { path: { deviceId, ...Object.fromEntries(names.map((name, n) => [name, numbers[n]])) } },
  };
};
