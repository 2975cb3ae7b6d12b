import { Code, formatCode, type OutgoingRequest, type ReceivedResponse } from '@lanyard/coap';
import { contentFormat } from '@lanyard/lwm2m';
import { Refused } from '../errors.js';
import { type GroupSettings, type RetransmissionSettings } from '../settings/group.js';
import { type Scheme } from '../settings/server-url.js';

const retransmissionOf = ({ ackTimeoutMs, retransmissions }: RetransmissionSettings): Partial<OutgoingRequest> => ({
  ackTimeoutMs,
  maxRetransmit: retransmissions,
});

const transportBinding: Record<Scheme, string> = { coap: 'U', coaps: 'U', 'coap+tcp': 'T', 'coaps+tcp': 'T' };

/** Queue mode is a letter of the binding in LwM2M 1.0, and a separate parameter in later versions. */
const bindingParameters = (scheme: Scheme, { version, queueMode }: GroupSettings): string[] => {
  const binding = transportBinding[scheme];
  if (!queueMode) return [`b=${binding}`];
  return version === '1.0' ? [`b=${binding}Q`] : [`b=${binding}`, 'Q'];
};

/** `POST /rd` (LwM2M 1.1 core §6.2.1). */
export const registerRequest = (
  { name, lifetimeSeconds, scheme }: { name: string; lifetimeSeconds: number; scheme: Scheme },
  settings: GroupSettings,
  links: Buffer,
): OutgoingRequest => ({
  ...retransmissionOf(settings),
  method: Code.POST,
  path: ['rd'],
  query: [
    `ep=${name}`,
    `lt=${lifetimeSeconds}`,
    `lwm2m=${settings.version}`,
    ...bindingParameters(scheme, settings),
    `et=${settings.deviceType}`,
  ],
  payload: links,
  contentFormat: contentFormat.linkFormat,
});

/** Changes that an update reports, besides the fact that the device is alive. */
interface UpdateContent {
  lifetimeSeconds?: number | undefined;
  links?: Buffer | undefined;
}

/** `POST /rd/<id>` */
export const updateRequest = (
  registrationId: string,
  retransmission: RetransmissionSettings,
  { lifetimeSeconds, links }: UpdateContent,
): OutgoingRequest => ({
  ...retransmissionOf(retransmission),
  method: Code.POST,
  path: ['rd', registrationId],
  ...(lifetimeSeconds !== undefined && { query: [`lt=${lifetimeSeconds}`] }),
  ...(links && { payload: links, contentFormat: contentFormat.linkFormat }),
});

/** `DELETE /rd/<id>`, with a short wait for the response. */
export const deregisterRequest = (registrationId: string): OutgoingRequest => ({
  method: Code.DELETE,
  path: ['rd', registrationId],
  ackTimeoutMs: 1_000,
  maxRetransmit: 1,
  timeoutMs: 5_000,
});

/** @throws Refused */
export const accepted = (what: string, response: ReceivedResponse, code: number): ReceivedResponse => {
  if (response.code === code) return response;
  throw new Refused(what, formatCode(response.code), (response.maxAgeSeconds ?? 0) * 1_000);
};

/** `POST /dp`: values without an observation (LwM2M 1.1 core §6.4.5). */
export const sendRequest = (
  retransmission: RetransmissionSettings,
  payload: Buffer,
  format: number,
): OutgoingRequest => ({
  ...retransmissionOf(retransmission),
  method: Code.POST,
  path: ['dp'],
  payload,
  contentFormat: format,
});
