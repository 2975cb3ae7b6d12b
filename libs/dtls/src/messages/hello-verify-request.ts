import { DTLS_1_0, DTLS_1_2 } from './record.js';
import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';
import { Reader } from './reader.js';
import { uint16, vector8 } from './writer.js';

/** RFC 6347 §4.2.1. */
export interface HelloVerifyRequest {
  cookie: Buffer;
}

/** @throws DecodeError */
export function decodeHelloVerifyRequest(body: Buffer): HelloVerifyRequest {
  const reader = new Reader(body, 'HelloVerifyRequest');
  const version = reader.uint16();
  // Servers send 1.0 whatever they negotiate, so the version says nothing.
  if (version !== DTLS_1_0 && version !== DTLS_1_2) {
    throw new DecodeError('HelloVerifyRequest: unknown version', AlertDescription.ProtocolVersion);
  }
  const cookie = reader.vector8(1);
  reader.expectEnd();
  return { cookie };
}

/** The version is 1.2, because tinydtls drops messages with the 1.0 that RFC 6347 recommends. */
export function encodeHelloVerifyRequest({ cookie }: HelloVerifyRequest): Buffer {
  return Buffer.concat([uint16(DTLS_1_2), vector8(cookie)]);
}
