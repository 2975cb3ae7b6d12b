import { newId } from '@lanyard/service';
import type { Sessions } from '../src/sessions/sessions.js';

const lifetimeSeconds = 600;

/** What `Sessions.open` is told of a device that registers at `nowMs`. */
export const registered = (address: string, nowMs: number): Parameters<Sessions['open']>[0] => ({
  deviceId: newId(),
  registrationId: newId(),
  accountId: newId(),
  address,
  nowMs,
  expiresAtMs: nowMs + lifetimeSeconds * 1_000,
  data: {
    endpointName: address,
    lifetimeSeconds,
    lwm2mVersion: '1.1',
    binding: 'U',
    queueMode: false,
    rootPath: '',
    contentFormats: [],
    links: [],
    attributes: {},
    registeredAtMs: nowMs,
    firstContact: true,
  },
});
