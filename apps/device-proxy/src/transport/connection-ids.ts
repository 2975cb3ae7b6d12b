import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** Unguessable, and few enough bytes for a narrow radio: each record of the device carries them. */
const idBytes = 8;

/** The ids of DTLS connections (RFC 9146) that begin on this replica. */
@Injectable()
export class ConnectionIds {
  /** Of every id, here and on other replicas: the length is not on the wire. */
  readonly bytes: number = idBytes;

  next(): Buffer {
    return randomBytes(this.bytes);
  }
}
