import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import type { Logger } from '@lanyard/service';
import { maskTickets } from './masked-tickets.js';
import { RetryLater } from './retry-later.js';
import type { Sender } from './sender.js';
import type { AdmissionControl } from './admission-control.js';
import type { UplinkReply, UplinkRequest } from './uplink-request.js';

export type AnswerRequest = (request: UplinkRequest) => Promise<UplinkReply> | UplinkReply;

const methodNames = new Map<number, string>(
  (['GET', 'POST', 'PUT', 'DELETE', 'FETCH', 'PATCH', 'IPATCH'] as const).map((name) => [Code[name], name]),
);

/** Codes by their notation, cached because every answer needs one. */
const codes = new Map<string, number>();

const codeOf = (text: string): number => {
  const known = codes.get(text);
  if (known !== undefined) return known;
  const [codeClass, detail] = text.split('.');
  const code = (Number(codeClass) << 5) | Number(detail);
  codes.set(text, code);
  return code;
};

/** The request and the answer have one object shape each, without spread, because they are created for every message. */
const uplinkRequest = (
  { method, path, query, payload, contentFormat, accept }: CoapRequest,
  sender: Sender,
  address: string,
): UplinkRequest => ({
  sender,
  address,
  method: methodNames.get(method) ?? '',
  path,
  query,
  payload: maskTickets(payload),
  contentFormat,
  accept,
});

const coapResponse = (reply: UplinkReply): CoapResponse => {
  const { code, location, diagnostic, payload, source, etag, contentFormat, onSent } = reply;
  return {
    code: codeOf(code),
    locationPath: location,
    payload: diagnostic === undefined ? payload : Buffer.from(diagnostic),
    source,
    etag,
    contentFormat,
    onSent,
  };
};

/** First path segments of requests that start something new for a device: a registration or a bootstrap. */
const startingPaths = new Set(['rd', 'bs', 'bspack']);

const isRegistration = ({ method, path: [first = '', ...rest] }: CoapRequest): boolean =>
  rest.length === 0 && startingPaths.has(first) && (method === Code.POST || first === 'bspack');

/** For the log: the second segment of some paths is a secret, such as the ticket of a download. */
const loggable = ([first = '', ...rest]: readonly string[]): string =>
  first === 'downloads' ? `${first}/…` : [first, ...rest].join('/');

const unavailable = (maxAgeSeconds: number): CoapResponse => ({ code: Code.ServiceUnavailable, maxAgeSeconds });

/** Converts requests of a transport to the requests that the rest of the service answers. */
export class UplinkBridge {
  private answer: AnswerRequest = () => ({ code: '5.03' });

  constructor(
    private readonly admissionControl: AdmissionControl,
    private readonly logger: Logger,
  ) {}

  onRequest(answer: AnswerRequest): void {
    this.answer = answer;
  }

  /** Overload and unavailable infrastructure are not the device's fault: 5.03 makes it retry later. */
  async handle(request: CoapRequest, sender: Sender, address: string): Promise<CoapResponse> {
    if (!this.admissionControl.admit(isRegistration(request) ? 'registration' : 'other'))
      return unavailable(this.admissionControl.returnAfterSeconds());
    try {
      return coapResponse(await this.answer(uplinkRequest(request, sender, address)));
    } catch (error) {
      const path = loggable(request.path);
      if (error instanceof RetryLater) this.logger.info({ why: error.message, address, path }, 'device must retry');
      else this.logger.error({ err: error, address, path }, 'request of a device failed');
      const { admissionControl } = this;
      const isBurst = error instanceof RetryLater && error.isBurst;
      return unavailable(isBurst ? admissionControl.returnAfterSeconds() : admissionControl.retryAfterSeconds());
    } finally {
      this.admissionControl.release();
    }
  }
}
