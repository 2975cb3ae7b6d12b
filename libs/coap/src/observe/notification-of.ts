import { Code, isSuccessCode } from '../codec/code.js';
import { type IncomingResponse, type ResponseMessage } from '../peer/pending-request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type Peer } from '../messages/peer.js';
import { type CoapNotification } from '../messages/notification.js';
import { type Observed } from '../peer/observation-entry.js';

/** A response interpreted as a notification. */
export interface NotificationProperties {
  confirmable: boolean;
  /** More blocks follow. */
  incomplete: boolean;
  /** More blocks follow, but the request with which to fetch them is unknown. */
  partial: boolean;
  /** This is the last notification of the observation. */
  ended: boolean;
}

/** Whether more blocks follow. */
export function isIncomplete({ options: { block2 } }: ResponseMessage): boolean {
  return block2 !== undefined && (block2 === 'reserved-size' || block2.more);
}

/** Interprets a response to an observation of this endpoint. */
export function notificationPropertiesOf(
  { request }: Observed,
  response: ResponseMessage,
  confirmable: boolean,
): NotificationProperties {
  const { message, options } = response;
  const incomplete = isIncomplete(response);
  const partial = incomplete && request === undefined;
  const ended = partial || !isSuccessCode(message.code) || options.observe === undefined;
  return { confirmable, incomplete, partial, ended };
}

/** The notification as the handler sees it. One shape, without `...`, which takes 2 µs. */
export function notificationOf(
  peer: Peer,
  token: Buffer,
  tokenKey: string,
  body: ReceivedResponse,
  properties: Omit<NotificationProperties, 'incomplete'>,
): CoapNotification {
  const { code, payload, observe, contentFormat, maxAgeSeconds, etag } = body;
  return {
    peer,
    token,
    tokenKey,
    code,
    payload,
    confirmable: properties.confirmable,
    ended: properties.ended,
    partial: properties.partial,
    observe,
    contentFormat,
    maxAgeSeconds,
    etag,
  };
}

/** The response for a handler: if it must not be used, its code is replaced by 4.02, and its payload is removed. */
export function withoutUnusable(response: IncomingResponse): IncomingResponse {
  if (!response.isUnusable) return response;
  return { ...response, message: { ...response.message, code: Code.BadOption, payload: Buffer.alloc(0) } };
}
