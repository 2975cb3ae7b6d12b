import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';
import { RANDOM_BYTES, SESSION_ID_BYTES_MAX } from './client-hello.js';
import { encodeExtensions, type HelloExtensions, readExtensions } from './extensions.js';
import { Reader } from './reader.js';
import { uint16, uint8, vector8 } from './writer.js';

/** RFC 5246 §7.4.1.3. */
export interface ServerHello {
  version: number;
  /** 32 bytes. */
  random: Buffer;
  /** Empty: the session cannot be resumed. */
  sessionId: Buffer;
  cipherSuite: number;
  /** May contain only extensions that the client offered; the caller checks this. */
  extensions: HelloExtensions;
}

/** Buffers are views of `body`. @throws DecodeError */
export function decodeServerHello(body: Buffer): ServerHello {
  const reader = new Reader(body, 'ServerHello');
  const version = reader.uint16();
  const random = reader.takeBytes(RANDOM_BYTES);
  const sessionId = reader.vector8(0, SESSION_ID_BYTES_MAX);
  const cipherSuite = reader.uint16();
  if (reader.uint8() !== 0) throw new DecodeError('ServerHello: compression', AlertDescription.IllegalParameter);
  const extensions = readExtensions(reader, 'server');
  reader.expectEnd();
  return { version, random, sessionId, cipherSuite, extensions };
}

/** @throws UnencodableMessage */
export function encodeServerHello(hello: ServerHello): Buffer {
  return Buffer.concat([
    uint16(hello.version),
    hello.random,
    vector8(hello.sessionId),
    uint16(hello.cipherSuite),
    uint8(0),
    encodeExtensions(hello.extensions, 'server'),
  ]);
}
