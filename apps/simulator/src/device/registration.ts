import { Code, formatCode, type OutgoingRequest, type ReceivedResponse } from '@lanyard/coap';
import { contentFormat } from '@lanyard/lwm2m';
import { type SimulatorConfig } from '../config.js';
import { Refused } from '../errors.js';

type Patience = Pick<SimulatorConfig, 'ackTimeoutMs' | 'retransmissions'>;

const patient = ({ ackTimeoutMs, retransmissions }: Patience): Partial<OutgoingRequest> => ({
  ackTimeoutMs,
  maxRetransmit: retransmissions,
});

const transportBinding = { coap: 'U', 'coap+tcp': 'T', 'coaps+tcp': 'T' } as const;

/** `POST /rd` (LwM2M 1.1 core §6.2.1). */
export const registerRequest = (name: string, config: SimulatorConfig, links: Buffer): OutgoingRequest => ({
  ...patient(config),
  method: Code.POST,
  path: ['rd'],
  query: [
    `ep=${name}`,
    `lt=${config.lifetimeSeconds}`,
    'lwm2m=1.1',
    `b=${transportBinding[config.servers[0]?.scheme ?? 'coap']}`,
    `et=${config.deviceType}`,
    ...(config.queueMode ? ['Q'] : []),
  ],
  payload: links,
  contentFormat: contentFormat.linkFormat,
});

/** `POST /rd/<id>` */
export const updateRequest = (registrationId: string, config: Patience): OutgoingRequest => ({
  ...patient(config),
  method: Code.POST,
  path: ['rd', registrationId],
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
