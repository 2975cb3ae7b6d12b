import { packBytes, unpackBytes } from '../crypto/packed-bytes.js';
import { DecodeError, InvalidState } from '../errors.js';
import { packCredential, type PeerCredential, unpackCredential } from '../handshake/credentials.js';
import { SEQUENCE_MAX } from '../limits.js';
import { Reader } from '../messages/reader.js';
import { uint16, vector16, vector8 } from '../messages/writer.js';
import { type Address } from './address.js';

/** Everything that another process needs to continue a connection. It contains keys: encrypt it before storing it. */
export interface ConnectionState {
  id: string;
  role: 'client' | 'server';
  /** Id of the `CipherSuite`. */
  suite: number;
  keys: Buffer;
  /** Connection id on the records that arrive here; empty: none. */
  connectionId: Buffer;
  /** Connection id on the records that are sent; empty: none. */
  peerConnectionId: Buffer;
  /** Sequence number of the next record to send. */
  sendSequence: number;
  /** Highest sequence number received, -1 before the first. */
  receivedMax: number;
  /** Largest plaintexts (RFC 8449). */
  sendBytesMax: number;
  receiveBytesMax: number;
  remote: Address;
  peer: PeerCredential;
}

/** Version of the format of `encodeState`. Older code refuses a newer version, so that a rolling upgrade does not misread it. */
const VERSION = 1;
const SEQUENCE_BYTES = 6;

/** Compact: about 110 bytes and the peer's credential. */
export function encodeState(state: ConnectionState): Buffer {
  const header = Buffer.from([VERSION, state.role === 'client' ? 1 : 0]);
  return Buffer.concat([
    header,
    uint16(state.suite),
    uint48(state.sendSequence),
    uint48(state.receivedMax + 1),
    uint16(state.sendBytesMax),
    uint16(state.receiveBytesMax),
    uint16(state.remote.port),
    vector8(Buffer.from(state.remote.address)),
    vector8(Buffer.from(state.id)),
    vector8(state.connectionId),
    vector8(state.peerConnectionId),
    vector8(state.keys),
    vector16(unpackBytes(packCredential(state.peer))),
  ]);
}

/** @throws InvalidState */
export function decodeState(bytes: Buffer): ConnectionState {
  try {
    return readState(new Reader(Buffer.from(bytes), 'state'));
  } catch (error) {
    if (error instanceof InvalidState) throw error;
    throw new InvalidState(error instanceof DecodeError ? error.reason : 'unreadable credential');
  }
}

function readState(reader: Reader): ConnectionState {
  const version = reader.uint8();
  if (version !== VERSION) throw new InvalidState(`version ${version}`);
  const role = reader.uint8() === 1 ? 'client' : 'server';
  const suite = reader.uint16();
  const sendSequence = readUint48(reader);
  const receivedMax = readUint48(reader) - 1;
  const sendBytesMax = reader.uint16();
  const receiveBytesMax = reader.uint16();
  const port = reader.uint16();
  const remote = { address: reader.vector8().toString(), port };
  const id = reader.vector8().toString();
  const [connectionId, peerConnectionId, keys] = [reader.vector8(), reader.vector8(), reader.vector8()];
  const peer = unpackCredential(packBytes(reader.vector16(1)));
  reader.expectEnd();
  return {
    id,
    role,
    suite,
    keys,
    connectionId,
    peerConnectionId,
    sendSequence,
    receivedMax,
    sendBytesMax,
    receiveBytesMax,
    remote,
    peer,
  };
}

function uint48(value: number): Buffer {
  const bytes = Buffer.alloc(SEQUENCE_BYTES);
  bytes.writeUIntBE(Math.min(value, SEQUENCE_MAX), 0, SEQUENCE_BYTES);
  return bytes;
}

const readUint48 = (reader: Reader): number => reader.takeBytes(SEQUENCE_BYTES).readUIntBE(0, SEQUENCE_BYTES);
