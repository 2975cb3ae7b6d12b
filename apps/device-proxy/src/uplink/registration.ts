import { defaultLifetimeSeconds } from '../sessions/limits.js';
import type { RegistrationData } from '../sessions/session.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
export type Registration = Omit<RegistrationData, 'registeredAtMs' | 'firstContact'>;
export type RegistrationChange = Partial<Registration>;
export const readRegistration = (request: UplinkRequest): { registration: Registration } | { refusal: UplinkReply } => {
  const q = new URLSearchParams(request.query.join('&'));
  const ep = q.get('ep');
  if (!ep) return { refusal: { code: '4.00' } };
  const v = q.get('lwm2m') ?? '1.0';
  if (!/^1\.[012]$/.test(v)) return { refusal: { code: '4.12' } };
  return {
    registration: {
      endpointName: ep,
      lifetimeSeconds: Number(q.get('lt') ?? defaultLifetimeSeconds),
      lwm2mVersion: v,
      binding: q.get('b') ?? 'U',
      queueMode: q.has('Q') || (q.get('b') ?? '').includes('Q'),
      rootPath: '',
      contentFormats: [],
      attributes: {},
      ...(q.get('et') && { endpointType: q.get('et')! }),
      links: request.payload
        .toString()
        .split(',')
        .map((l) => /^<(.*?)>/.exec(l)?.[1] ?? '/')
        .filter((p) => p !== '/')
        .map((path) => ({ path, obs: true })),
    },
  };
};
export const readUpdate = (request: UplinkRequest): { change: RegistrationChange } | { refusal: UplinkReply } => {
  const q = new URLSearchParams(request.query.join('&'));
  return { change: { ...(q.has('lt') && { lifetimeSeconds: Number(q.get('lt')) }) } };
};
