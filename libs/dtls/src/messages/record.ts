import { UnencodableMessage } from '../errors.js';
import { PLAINTEXT_BYTES_MAX, PROTECTION_BYTES_MAX, SEQUENCE_MAX } from '../limits.js';

/** Content types of records (RFC 5246 §6.2.1, RFC 9146 §4). */
export const ContentType = {
  ChangeCipherSpec: 20,
  Alert: 21,
  Handshake: 22,
  ApplicationData: 23,
  /** The real type is encrypted. */
  ConnectionId: 25,
} as const;

export const DTLS_1_2 = 0xfefd;
/** The version of the first records of many clients, whatever they negotiate (RFC 6347 §4.2.1). */
export const DTLS_1_0 = 0xfeff;

/** Type, version, epoch, sequence number and length: the header of a record without connection id. */
export const RECORD_HEADER_BYTES = 13;
/** Where the connection id of a record begins (RFC 9146 §4). */
const CONNECTION_ID_OFFSET = 11;

export const NO_CONNECTION_ID: Buffer = Buffer.alloc(0);
const TWO_POW_32 = 2 ** 32;

export interface RecordHeader {
  type: number;
  epoch: number;
  /** 48 bits. */
  sequence: number;
  /** Empty unless `type` is `ContentType.ConnectionId`. */
  connectionId: Buffer;
}

/** One record of a datagram, still protected. Buffers are views of the datagram. */
export interface WireRecord extends RecordHeader {
  /** What the record carries: ciphertext, or plaintext in epoch 0. */
  fragment: Buffer;
  /** Offset in the datagram of the bytes after this record. */
  end: number;
}

/**
 * Reads the record at `offset`, or `undefined` when it is malformed: the rest of the datagram is then discarded, without an
 * alert (RFC 6347 §4.1.2.7). Never throws.
 * @param connectionIdBytes Length of the receiver's own connection ids; without one, records with an id are malformed.
 */
export function decodeRecord(datagram: Buffer, offset: number, connectionIdBytes: number): WireRecord | undefined {
  const available = datagram.length - offset;
  if (available < RECORD_HEADER_BYTES) return undefined;
  const type = datagram[offset]!;
  if (type < ContentType.ChangeCipherSpec || type > ContentType.ConnectionId || type === 24) return undefined;
  const hasId = type === ContentType.ConnectionId;
  const idBytes = hasId ? connectionIdBytes : 0;
  if (hasId && (idBytes === 0 || available < RECORD_HEADER_BYTES + idBytes)) return undefined;
  const version = datagram.readUInt16BE(offset + 1);
  const epoch = datagram.readUInt16BE(offset + 3);
  if (version !== DTLS_1_2 && (version !== DTLS_1_0 || epoch !== 0)) return undefined;
  const start = offset + RECORD_HEADER_BYTES + idBytes;
  const length = datagram.readUInt16BE(start - 2);
  const end = start + length;
  if (length > PLAINTEXT_BYTES_MAX + PROTECTION_BYTES_MAX || end > datagram.length) return undefined;
  return {
    type,
    epoch,
    sequence: datagram.readUInt16BE(offset + 5) * TWO_POW_32 + datagram.readUInt32BE(offset + 7),
    connectionId: hasId ? datagram.subarray(offset + CONNECTION_ID_OFFSET, start - 2) : NO_CONNECTION_ID,
    fragment: datagram.subarray(start, end),
    end,
  };
}

/** All records of a datagram up to the first malformed one. */
export function decodeRecords(datagram: Buffer, connectionIdBytes: number): WireRecord[] {
  const records: WireRecord[] = [];
  let record = decodeRecord(datagram, 0, connectionIdBytes);
  while (record !== undefined) {
    records.push(record);
    record = decodeRecord(datagram, record.end, connectionIdBytes);
  }
  return records;
}

/** The connection id of the first record that has one: records without an id may precede it, for example those of a repeated flight. */
export function connectionIdIn(datagram: Buffer, connectionIdBytes: number): Buffer | undefined {
  return decodeRecords(datagram, connectionIdBytes).find(({ type }) => type === ContentType.ConnectionId)?.connectionId;
}

/** Writes the header of a record of DTLS 1.2 at the start of `into`. @returns Where the fragment begins. */
export function writeRecordHeader(into: Buffer, header: RecordHeader, fragmentBytes: number): number {
  const { type, connectionId } = header;
  into[0] = type;
  into.writeUInt16BE(DTLS_1_2, 1);
  writeRecordNumber(into, 3, header);
  if (connectionId.length > 0) connectionId.copy(into, CONNECTION_ID_OFFSET);
  const start = RECORD_HEADER_BYTES + connectionId.length;
  into.writeUInt16BE(fragmentBytes, start - 2);
  return start;
}

/** Epoch and sequence number: eight bytes. */
export function writeRecordNumber(into: Buffer, at: number, { epoch, sequence }: RecordHeader): void {
  into.writeUInt16BE(epoch, at);
  into.writeUInt16BE(Math.floor(sequence / TWO_POW_32), at + 2);
  into.writeUInt32BE(sequence % TWO_POW_32, at + 4);
}

/**
 * A record of epoch 0, for answers without state: a HelloVerifyRequest takes the sequence number of its ClientHello
 * (RFC 6347 §4.2.1). @throws UnencodableMessage
 */
export function encodePlainRecord(type: number, sequence: number, fragment: Buffer): Buffer {
  if (fragment.length > PLAINTEXT_BYTES_MAX) throw new UnencodableMessage('A record carries at most 16,384 bytes');
  if (!Number.isInteger(sequence) || sequence < 0 || sequence > SEQUENCE_MAX) {
    throw new UnencodableMessage(`No sequence number: ${sequence}`);
  }
  const record = Buffer.allocUnsafe(RECORD_HEADER_BYTES + fragment.length);
  const header = { type, epoch: 0, sequence, connectionId: NO_CONNECTION_ID };
  fragment.copy(record, writeRecordHeader(record, header, fragment.length));
  return record;
}
