import { type CoapMessage } from '../codec/message.js';

/** A message that is being handled. */
export interface InFlight {
  readonly kind: 'request' | 'notification';
  readonly message: CoapMessage;
  /** The message was already acknowledged, so the answer will be a separate message. */
  acknowledged: boolean;
}
