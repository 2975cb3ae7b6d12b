import { type CoapMessage } from '../codec/message.js';
import { type ResponseOptions } from '../codec/response-options.js';
import { type Timer } from '../timing/timer-wheel.js';
import { type Transmission } from './transmission.js';

/** A response whose options were read, over any transport. */
export interface ResponseMessage {
  message: Pick<CoapMessage, 'code' | 'payload' | 'token'>;
  options: ResponseOptions;
}

/** A response in a datagram. */
export interface IncomingResponse extends ResponseMessage {
  message: CoapMessage;
  /** The response has an unknown critical option, and must not be used (RFC 7252 §5.4.1). */
  isUnusable?: true;
}

/** Why a request is sent: it decides what a response with an Observe option on its token means. */
export type RequestIntent = 'plain' | 'observe' | 'cancel';

/** One request message that waits for its response. */
export class PendingRequest<Response extends ResponseMessage> {
  /** Set for a request in a datagram. */
  messageId: number | undefined;
  transmission: Transmission | undefined;
  responseTimer: Timer | undefined;
  acknowledged = false;

  constructor(
    readonly token: Buffer,
    private readonly intent: RequestIntent,
    private readonly done: (outcome: Response | Error) => void,
  ) {}

  /** Whether a response with its token answers it: while an observation is being cancelled, its notifications still have that token. */
  expects(observe: number | undefined): boolean {
    return !(this.intent === 'cancel' && observe !== undefined);
  }

  /** Ends the request, with a response or with an error. */
  finish(outcome: Response | Error): void {
    this.transmission?.stop();
    this.responseTimer?.cancel();
    this.done(outcome);
  }
}
