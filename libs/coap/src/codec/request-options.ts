import { type OutgoingRequest } from '../messages/request.js';
import { type BlockValue, encodeBlock } from './block-value.js';
import { type CoapOption } from './message.js';
import { OptionNumber as O } from './option-number.js';
import { isEtag, type ReadBlock, readOptions, takeBlock, takeText } from './option-reader.js';
import { decodeUint, encodeUint } from './uint.js';

const REQUEST_TAG_BYTES_MAX = 8;

export interface RequestOptions {
  path: string[];
  query: string[];
  etags: Buffer[];
  contentFormat?: number;
  accept?: number;
  observe?: number;
  block1?: ReadBlock;
  block2?: ReadBlock;
  size1?: number;
  /** In hex: they tell bodies apart that a peer sends to one resource at the same time (RFC 9175 §3). */
  requestTags?: string[];
  proxied: boolean;
}

/**
 * Reads the options of a request; returns the number of a critical option that makes it unusable.
 * @param szxMax largest block size exponent of the transport
 */
export function readRequestOptions(options: CoapOption[], szxMax?: number): RequestOptions | number {
  const read: RequestOptions = { path: [], query: [], etags: [], proxied: false };
  const takeAny = (into: RequestOptions, number: number, value: Buffer): boolean =>
    takeBlock(into, number, value, szxMax) ?? takeOption(into, number, value);
  return readOptions(options, read, takeAny) ?? read;
}

function takeOption(into: RequestOptions, number: number, value: Buffer): boolean {
  switch (number) {
    case O.UriPath:
      return takeText(into.path, value);
    case O.UriQuery:
      return takeText(into.query, value);
    case O.ETag:
      if (isEtag(value)) into.etags.push(value);
      return true;
    case O.UriHost:
      return value.length >= 1 && value.length <= 255;
    case O.UriPort:
      return value.length <= 2;
    case O.ProxyUri:
    case O.ProxyScheme:
      into.proxied = true;
      return true;
    case O.RequestTag:
      if (value.length <= REQUEST_TAG_BYTES_MAX) (into.requestTags ??= []).push(value.toString('hex'));
      return true;
    default:
      return takeNumber(into, number, value);
  }
}

function takeNumber(into: RequestOptions, number: number, value: Buffer): boolean {
  if (number === O.Accept && value.length <= 2) into.accept = decodeUint(value);
  else if (number === O.ContentFormat && value.length <= 2) into.contentFormat = decodeUint(value);
  else if (number === O.Observe && value.length <= 3) into.observe = decodeUint(value);
  else if (number === O.Size1 && value.length <= 4) into.size1 = decodeUint(value);
  else return false;
  return true;
}

/** What a block-wise transfer or an observation adds to a request. */
export interface RequestExtras {
  observe?: number;
  block1?: BlockValue;
  block2?: BlockValue;
  size1?: number;
}

/** Options of an outgoing request, in order. */
export function writeRequestOptions(request: OutgoingRequest, extras: RequestExtras): CoapOption[] {
  const options: CoapOption[] = [];
  if (request.etag !== undefined) options.push({ number: O.ETag, value: request.etag });
  if (extras.observe !== undefined) options.push({ number: O.Observe, value: encodeUint(extras.observe) });
  for (const segment of request.path) options.push({ number: O.UriPath, value: Buffer.from(segment, 'utf8') });
  pushUint(options, O.ContentFormat, request.contentFormat);
  for (const item of request.query ?? []) options.push({ number: O.UriQuery, value: Buffer.from(item, 'utf8') });
  pushUint(options, O.Accept, request.accept);
  if (extras.block2 !== undefined) options.push({ number: O.Block2, value: encodeBlock(extras.block2) });
  if (extras.block1 !== undefined) options.push({ number: O.Block1, value: encodeBlock(extras.block1) });
  pushUint(options, O.Size1, extras.size1);
  return options;
}

/** Adds an option when there is a value. */
export function pushUint(options: CoapOption[], number: number, value: number | undefined): void {
  if (value !== undefined) options.push({ number, value: encodeUint(value) });
}
