import { MalformedMessage, MessageTooLarge, UnencodableMessage } from '../errors.js';
import { type Body, bodyLength, decodeBody, writeBody } from './body.js';
import { isRequestCode, isResponseCode, isSignalCode } from './code.js';

/** A CoAP message over a byte stream (RFC 8323 §3.2). It has neither type nor message id, because the connection replaces both. */
export interface StreamMessage extends Body {
  /** `class << 5 | detail`; 0 is an empty message. */
  code: number;
  /** 0 to 8 bytes. */
  token: Buffer;
}

/** Where the parts of a message begin, according to its first bytes. */
interface Frame {
  tokenAt: number;
  bodyAt: number;
  end: number;
}

const TOKEN_BYTES_MAX = 8;
/** For each form of the length (RFC 8323 §3.2): the smallest length, and the number of bytes after the first. */
const LENGTH_BASE = [0, 13, 269, 65_805] as const;
const EXTENSION_BYTES = [0, 1, 2, 4] as const;
const NOTHING = Buffer.alloc(0);

/** Longest possible part before options and payload. */
export const FRAME_OVERHEAD_MAX = 1 + 4 + 1 + TOKEN_BYTES_MAX;

function problemOf(code: number): string | undefined {
  if (code === 0 || isRequestCode(code) || isResponseCode(code) || isSignalCode(code)) return undefined;
  return 'reserved code class';
}

/** How many bytes must be available before `frameOf` can determine the length of the message. */
export function headBytes(first: number): number {
  return 1 + EXTENSION_BYTES[lengthForm(first >> 4)]!;
}

function lengthForm(nibble: number): 0 | 1 | 2 | 3 {
  return nibble < 13 ? 0 : ((nibble - 12) as 1 | 2 | 3);
}

/**
 * Reads the length of the message at the start of `bytes`, which must contain at least `headBytes`.
 * @throws MalformedMessage, MessageTooLarge
 */
export function frameOf(bytes: Buffer, messageBytesMax: number): Frame {
  const nibble = bytes[0]! >> 4;
  const tokenLength = bytes[0]! & 0x0f;
  if (tokenLength > TOKEN_BYTES_MAX) throw new MalformedMessage('token length above 8');
  const kind = lengthForm(nibble);
  const extra = EXTENSION_BYTES[kind];
  const length = extra === 0 ? nibble : LENGTH_BASE[kind] + bytes.readUIntBE(1, extra);
  const tokenAt = 1 + extra + 1;
  const end = tokenAt + tokenLength + length;
  if (end > messageBytesMax) throw new MessageTooLarge(end);
  return { tokenAt, bodyAt: tokenAt + tokenLength, end };
}

/** Reads one whole message; the parts are views of `bytes`. @throws MalformedMessage */
export function decodeFrame(bytes: Buffer, frame: Frame): StreamMessage {
  const code = bytes[frame.tokenAt - 1]!;
  const problem = problemOf(code);
  if (problem !== undefined) throw new MalformedMessage(problem);
  const token = bytes.subarray(frame.tokenAt, frame.bodyAt);
  // An empty message keeps the connection alive and is ignored, whatever it contains (RFC 8323 §3.4).
  const body = code === 0 ? { options: [], payload: NOTHING } : decodeBody(bytes.subarray(0, frame.end), frame.bodyAt);
  return { code, token, ...body };
}

/** Writes one message; `FrameReader` reads an equal message back. @throws UnencodableMessage */
export function encodeFrame(message: StreamMessage): Buffer {
  const { code, token } = message;
  if (token.length > TOKEN_BYTES_MAX) throw new UnencodableMessage('A token has at most 8 bytes');
  const problem = !Number.isInteger(code) || code < 0 || code > 255 ? 'no code' : problemOf(code);
  if (problem !== undefined) throw new UnencodableMessage(`Not encodable: ${problem}`);
  const length = bodyLength(message);
  const kind = length < 13 ? 0 : length < 269 ? 1 : length < 65_805 ? 2 : 3;
  const extra = EXTENSION_BYTES[kind];
  const bytes = Buffer.allocUnsafe(1 + extra + 1 + token.length + length);
  bytes[0] = ((kind === 0 ? length : 12 + kind) << 4) | token.length;
  if (extra > 0) bytes.writeUIntBE(length - LENGTH_BASE[kind], 1, extra);
  bytes[1 + extra] = code;
  token.copy(bytes, 2 + extra);
  writeBody(message, bytes, 2 + extra + token.length);
  return bytes;
}
