import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';
import { encodeExtensions, type HelloExtensions, readExtensions } from './extensions.js';
import { Reader } from './reader.js';
import { uint16, uint16List, uint8List, vector8 } from './writer.js';

/** Sent in the list of cipher suites instead of an empty renegotiation_info (RFC 5746 §3.3). */
export const RENEGOTIATION_SCSV = 0x00ff;

export const RANDOM_BYTES = 32;
export const SESSION_ID_BYTES_MAX = 32;
const NULL_COMPRESSION = 0;

/** RFC 6347 §4.2.1. */
export interface ClientHello {
  /** Newest version that the client supports, for example `DTLS_1_2`; smaller numbers are newer. */
  version: number;
  /** 32 bytes. */
  random: Buffer;
  /** Empty, or the session to resume. */
  sessionId: Buffer;
  /** Empty, or from a HelloVerifyRequest. */
  cookie: Buffer;
  /** In order of preference. */
  cipherSuites: number[];
  extensions: HelloExtensions;
}

/** Buffers are views of `body`. @throws DecodeError */
export function decodeClientHello(body: Buffer): ClientHello {
  const reader = new Reader(body, 'ClientHello');
  const version = reader.uint16();
  const random = reader.takeBytes(RANDOM_BYTES);
  const sessionId = reader.vector8(0, SESSION_ID_BYTES_MAX);
  const cookie = reader.vector8();
  const cipherSuites = reader.uint16List(1);
  if (!reader.vector8(1).includes(NULL_COMPRESSION)) {
    throw new DecodeError('ClientHello: only with compression', AlertDescription.IllegalParameter);
  }
  const extensions = readExtensions(reader, 'client');
  reader.expectEnd();
  return { version, random, sessionId, cookie, cipherSuites, extensions };
}

/** @throws UnencodableMessage */
export function encodeClientHello(hello: ClientHello): Buffer {
  return Buffer.concat([
    uint16(hello.version),
    hello.random,
    vector8(hello.sessionId),
    vector8(hello.cookie),
    uint16List(hello.cipherSuites),
    uint8List([NULL_COMPRESSION]),
    encodeExtensions(hello.extensions, 'client'),
  ]);
}
