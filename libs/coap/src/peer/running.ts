import { type CoapMessage } from '../codec/message.js';

/** A message that is being handled. */
export interface InFlight {
  readonly kind: 'request' | 'notification';
  readonly message: CoapMessage;
  /** It was acknowledged already, the answer will be a message of its own. */
  acknowledged: boolean;
}
