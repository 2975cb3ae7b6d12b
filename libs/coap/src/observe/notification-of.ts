import { isSuccessCode } from '../codec/code.js';
import { type IncomingResponse } from '../peer/pending-request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type Peer } from '../messages/peer.js';
import { type CoapNotification } from '../messages/notification.js';
import { type ObservationEntry } from '../peer/observation-entry.js';

/** What a response means as a notification. */
export interface About {
  message: IncomingResponse['message'];
  /** More blocks follow. */
  incomplete: boolean;
  /** And the request for them is unknown. */
  partial: boolean;
  ended: boolean;
}

/** For an observation of this endpoint. */
export function aboutOf({ request }: ObservationEntry, { message, options }: IncomingResponse): About {
  const { block2, observe } = options;
  const incomplete = block2 !== undefined && (block2 === 'reserved-size' || block2.more);
  const partial = incomplete && request === undefined;
  return { message, incomplete, partial, ended: partial || !isSuccessCode(message.code) || observe === undefined };
}

/** The notification as the handler sees it. One shape, without `...`, which takes 2 µs. */
export function notificationOf(
  peer: Peer,
  token: Buffer,
  tokenKey: string,
  body: ReceivedResponse,
  about: Pick<About, 'message' | 'ended' | 'partial'>,
): CoapNotification {
  const { code, payload, observe, contentFormat, maxAgeSeconds, etag } = body;
  return {
    peer,
    token,
    tokenKey,
    code,
    payload,
    confirmable: about.message.type === 'CON',
    ended: about.ended,
    partial: about.partial,
    observe,
    contentFormat,
    maxAgeSeconds,
    etag,
  };
}
