import { UnencodableMessage } from '../errors.js';
import { type OutgoingNotification } from '../messages/notification.js';
import { type CoapResponse } from '../messages/response.js';
import { type BlockValue, encodeBlock } from './block-value.js';
import { Code } from './code.js';
import { type CoapOption } from './message.js';
import { OptionNumber as O } from './option-number.js';
import { isEtag, type ReadBlock, readOptions, takeBlock, takeText } from './option-reader.js';
import { pushUint } from './request-options.js';
import { decodeUint } from './uint.js';

export interface ResponseOptions {
  locationPath: string[];
  locationQuery: string[];
  etag?: Buffer;
  observe?: number;
  contentFormat?: number;
  maxAgeSeconds?: number;
  block1?: ReadBlock;
  block2?: ReadBlock;
}

/**
 * Reads the options of a response; returns the number of a critical option that makes it unusable.
 * @param szxMax largest block size exponent of the transport
 */
export function readResponseOptions(options: CoapOption[], szxMax?: number): ResponseOptions | number {
  const read: ResponseOptions = { locationPath: [], locationQuery: [] };
  const takeAny = (into: ResponseOptions, number: number, value: Buffer): boolean =>
    takeBlock(into, number, value, szxMax) ?? takeOption(into, number, value);
  return readOptions(options, read, takeAny) ?? read;
}

function takeOption(into: ResponseOptions, number: number, value: Buffer): boolean {
  switch (number) {
    case O.LocationPath:
      return takeText(into.locationPath, value);
    case O.LocationQuery:
      return takeText(into.locationQuery, value);
    case O.ETag:
      if (isEtag(value)) into.etag ??= value;
      return true;
    default:
      if (number === O.Observe && value.length <= 3) into.observe = decodeUint(value);
      else if (number === O.ContentFormat && value.length <= 2) into.contentFormat = decodeUint(value);
      else if (number === O.MaxAge && value.length <= 4) into.maxAgeSeconds = decodeUint(value);
      else return false;
      return true;
  }
}

/** What a block-wise transfer adds to a response. */
export interface ResponseExtras {
  block1?: BlockValue;
  block2?: BlockValue;
  size1?: number;
  size2?: number;
}

/** Options of an outgoing response, in order. @throws UnencodableMessage for an ETag or Observe number out of range */
export function writeResponseOptions(response: CoapResponse, extras: ResponseExtras): CoapOption[] {
  if (response.etag !== undefined && !isEtag(response.etag)) throw new UnencodableMessage('An ETag has 1 to 8 bytes');
  if ((response.observe ?? 0) > 0xff_ffff) throw new UnencodableMessage('An Observe number has 24 bits');
  const options: CoapOption[] = [];
  if (response.etag !== undefined) options.push({ number: O.ETag, value: response.etag });
  pushUint(options, O.Observe, response.observe);
  for (const part of response.locationPath ?? [])
    options.push({ number: O.LocationPath, value: Buffer.from(part, 'utf8') });
  pushUint(options, O.ContentFormat, response.contentFormat);
  pushUint(options, O.MaxAge, response.maxAgeSeconds);
  for (const part of response.locationQuery ?? [])
    options.push({ number: O.LocationQuery, value: Buffer.from(part, 'utf8') });
  if (extras.block2 !== undefined) options.push({ number: O.Block2, value: encodeBlock(extras.block2) });
  if (extras.block1 !== undefined) options.push({ number: O.Block1, value: encodeBlock(extras.block1) });
  pushUint(options, O.Size2, extras.size2);
  pushUint(options, O.Size1, extras.size1);
  return options;
}

/** A notification is a response with an Observe number. */
export function notificationResponse(notification: Omit<OutgoingNotification, 'confirmable'>): CoapResponse {
  const { code = Code.Content, payload, observeNumber: observe, contentFormat, maxAgeSeconds } = notification;
  return { code, payload, observe, contentFormat, maxAgeSeconds };
}
