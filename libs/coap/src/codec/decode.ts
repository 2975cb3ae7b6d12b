import { type MalformedHeader, MalformedMessage } from '../errors.js';
import { decodeBody } from './body.js';
import { isRequestCode, isResponseCode } from './code.js';
import { type CoapMessage, type MessageType } from './message.js';

const HEADER_BYTES = 4;
const NO_TOKEN = Buffer.alloc(0);
const TOKEN_BYTES_MAX = 8;
const TYPES: readonly MessageType[] = ['CON', 'NON', 'ACK', 'RST'];

/**
 * Reads one datagram strictly: it throws for everything that RFC 7252 §3 and §4 call a format error. Token, values and
 * payload are views of the datagram.
 * @throws MalformedMessage
 */
export function decodeMessage(datagram: Buffer): CoapMessage {
  if (datagram.length < HEADER_BYTES) throw new MalformedMessage('shorter than a header');
  const first = datagram[0]!;
  if (first >> 6 !== 1) throw new MalformedMessage('unknown version');
  const type = TYPES[(first >> 4) & 0x03]!;
  const tokenLength = first & 0x0f;
  const code = datagram[1]!;
  const header: MalformedHeader = { type, messageId: datagram.readUInt16BE(2) };
  const bodyStart = HEADER_BYTES + tokenLength;
  if (tokenLength > TOKEN_BYTES_MAX) throw new MalformedMessage('token length above 8', header);
  if (code === 0 && datagram.length > HEADER_BYTES) throw new MalformedMessage('empty message with content', header);
  if (datagram.length < bodyStart) throw new MalformedMessage('token overruns the message', header);
  const problem = codeProblem(type, code);
  if (problem !== undefined) throw new MalformedMessage(problem, header);
  const { options, payload } = decodeBody(datagram, bodyStart, header);
  return {
    type,
    code,
    messageId: header.messageId,
    token: tokenLength === 0 ? NO_TOKEN : datagram.subarray(HEADER_BYTES, bodyStart),
    options,
    payload,
  };
}

/** Which types carry which codes (RFC 7252 §4.3, table 1); class 7 exists over TCP only. */
export function codeProblem(type: MessageType, code: number): string | undefined {
  if (code === 0) return type === 'NON' ? 'empty non-confirmable message' : undefined;
  if (type === 'RST') return 'Reset that is not empty';
  if (isRequestCode(code)) return type === 'ACK' ? 'request in an acknowledgement' : undefined;
  return isResponseCode(code) ? undefined : 'reserved code class';
}
