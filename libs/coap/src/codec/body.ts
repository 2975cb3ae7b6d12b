import { MalformedMessage, type MalformedHeader, UnencodableMessage } from '../errors.js';
import { type CoapOption } from './message.js';

const PAYLOAD_MARKER = 0xff;
/** No message needs that many. An option of one byte takes about a hundred times the memory when it is read. */
const OPTIONS_MAX = 1_024;
const OPTION_NUMBER_MAX = 65_535;
const ONE_BYTE_BASE = 13;
const TWO_BYTE_BASE = 269;
const NO_PAYLOAD = Buffer.alloc(0);

/** The part of a message after the token, which is the same over UDP and over TCP (RFC 7252 §3.1, RFC 8323 §3.2). */
export interface Body {
  options: CoapOption[];
  payload: Buffer;
}

/**
 * Reads options and payload from `offset` to the end of `bytes`. The values are views of `bytes`.
 * @throws MalformedMessage with the given header
 */
export function decodeBody(bytes: Buffer, offset: number, header?: MalformedHeader): Body {
  const options: CoapOption[] = [];
  const end = bytes.length;
  let number = 0;
  let at = offset;
  while (at < end) {
    const first = bytes[at++]!;
    if (first === PAYLOAD_MARKER) {
      if (at === end) throw new MalformedMessage('payload marker without payload', header);
      return { options, payload: bytes.subarray(at) };
    }
    let delta = first >> 4;
    let length = first & 0x0f;
    if (delta === 15 || length === 15) throw new MalformedMessage('reserved option delta or length', header);
    const deltaBytes = extraBytes(delta);
    const lengthBytes = extraBytes(length);
    if (at + deltaBytes + lengthBytes > end) throw new MalformedMessage('option header overruns the message', header);
    delta = extended(bytes, at, delta);
    length = extended(bytes, at + deltaBytes, length);
    at += deltaBytes + lengthBytes;
    number += delta;
    if (number > OPTION_NUMBER_MAX) throw new MalformedMessage('option number above 65535', header);
    if (at + length > end) throw new MalformedMessage('option value overruns the message', header);
    if (options.length === OPTIONS_MAX) throw new MalformedMessage(`more than ${OPTIONS_MAX} options`, header);
    options.push({ number, value: bytes.subarray(at, at + length) });
    at += length;
  }
  return { options, payload: NO_PAYLOAD };
}

function extraBytes(nibble: number): number {
  return nibble < ONE_BYTE_BASE ? 0 : nibble - 12;
}

function extended(bytes: Buffer, at: number, nibble: number): number {
  if (nibble < ONE_BYTE_BASE) return nibble;
  return nibble === 13 ? ONE_BYTE_BASE + bytes[at]! : TWO_BYTE_BASE + bytes.readUInt16BE(at);
}

/** Bytes that `writeBody` will need. @throws UnencodableMessage when the options are out of order or too long. */
export function bodyLength(body: Body): number {
  let length = body.payload.length === 0 ? 0 : 1 + body.payload.length;
  let previous = 0;
  for (const { number, value } of body.options) {
    const delta = number - previous;
    if (!Number.isInteger(number) || delta < 0) throw new UnencodableMessage('Options must be in ascending order');
    if (number > OPTION_NUMBER_MAX) throw new UnencodableMessage(`No option number: ${number}`);
    if (value.length > 65_535 + TWO_BYTE_BASE) throw new UnencodableMessage('Option value too long');
    length += 1 + extensionLength(delta) + extensionLength(value.length) + value.length;
    previous = number;
  }
  return length;
}

/** Writes options and payload at `offset`; returns the offset behind them. */
export function writeBody(body: Body, target: Buffer, offset: number): number {
  let at = offset;
  let previous = 0;
  for (const { number, value } of body.options) {
    const delta = number - previous;
    target[at] = (nibble(delta) << 4) | nibble(value.length);
    at = writeExtension(target, at + 1, delta);
    at = writeExtension(target, at, value.length);
    at += value.copy(target, at);
    previous = number;
  }
  if (body.payload.length === 0) return at;
  target[at] = PAYLOAD_MARKER;
  return at + 1 + body.payload.copy(target, at + 1);
}

function extensionLength(value: number): number {
  if (value < ONE_BYTE_BASE) return 0;
  return value < TWO_BYTE_BASE ? 1 : 2;
}

function nibble(value: number): number {
  return value < ONE_BYTE_BASE ? value : 12 + extensionLength(value);
}

function writeExtension(target: Buffer, at: number, value: number): number {
  const extra = extensionLength(value);
  if (extra === 1) target[at] = value - ONE_BYTE_BASE;
  if (extra === 2) target.writeUInt16BE(value - TWO_BYTE_BASE, at);
  return at + extra;
}
