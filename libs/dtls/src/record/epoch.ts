import { type PackedBytes, packBytes, peekBytes, unpackBytes } from '../crypto/packed-bytes.js';
import { type RecordProtection } from '../crypto/record-protection.js';
import { RecordTooLarge, SequenceExhausted, StateNotSaved } from '../errors.js';
import { PLAINTEXT_BYTES_MAX, SEQUENCE_MAX } from '../limits.js';
import { ContentType, encodePlainRecord, NO_CONNECTION_ID, type WireRecord } from '../messages/record.js';
import { decodeInnerPlaintext, encodeInnerPlaintext } from './inner-plaintext.js';
import { ReplayWindow } from './replay-window.js';

export interface EpochOptions {
  number: number;
  /** Without it, records are plaintext, not authentic and not checked for replay, as in epoch 0. */
  protection?: RecordProtection;
  /** The id that the peer wants on the records that it receives; empty: none (RFC 9146 §3). */
  sendConnectionId?: Buffer;
  /** Our own id; without it, records of the peer have none. */
  receiveConnectionId?: Buffer;
  /** Sequence number of the next record that is sent. */
  sendSequence?: number;
  /** Sequence numbers from this one on are refused until it is raised; default: no limit. */
  sendSequenceEnd?: number;
  /** The highest sequence number that was received before; this number and all below count as replayed. */
  receivedMax?: number;
  /** Record size limit of the peer (RFC 8449). */
  sendBytesMax?: number;
  /** Our own record size limit, when the peer knows it. */
  receiveBytesMax?: number;
}

export interface OpenedRecord {
  type: number;
  plaintext: Buffer;
  /** Whether the record is newer than all before: only then may its source be the peer's new address (RFC 9146 §6). */
  isNewest: boolean;
}

/**
 * Why a record is discarded: it was received before or is too old; its tag is wrong; or it breaks the format, for example because
 * the negotiated connection id is missing.
 */
export type Refusal = 'replayed' | 'unauthentic' | 'malformed';

/** The records of one epoch in both directions (RFC 6347 §4.1). */
export class Epoch {
  readonly number: number;
  /** Sequence number of the next record that is sent. */
  sendSequence: number;
  /** The first sequence number that may not be used yet. */
  sendSequenceEnd: number;
  readonly protection: RecordProtection | undefined;
  private readonly sendId: PackedBytes;
  private readonly receiveId: PackedBytes;
  readonly sendBytesMax: number;
  readonly receiveBytesMax: number;
  private readonly window: ReplayWindow;

  constructor(options: EpochOptions) {
    this.number = options.number;
    this.protection = options.protection;
    this.sendId = packBytes(options.sendConnectionId ?? NO_CONNECTION_ID);
    this.receiveId = packBytes(options.receiveConnectionId ?? NO_CONNECTION_ID);
    this.sendSequence = options.sendSequence ?? 0;
    this.sendSequenceEnd = options.sendSequenceEnd ?? Infinity;
    this.sendBytesMax = Math.min(options.sendBytesMax ?? PLAINTEXT_BYTES_MAX, PLAINTEXT_BYTES_MAX);
    this.receiveBytesMax = Math.min(options.receiveBytesMax ?? PLAINTEXT_BYTES_MAX, PLAINTEXT_BYTES_MAX);
    this.window = new ReplayWindow(options.receivedMax);
  }

  get sendConnectionId(): Buffer {
    return unpackBytes(this.sendId);
  }

  get receiveConnectionId(): Buffer {
    return unpackBytes(this.receiveId);
  }

  /** The highest sequence number of an authentic record; -1 before the first. */
  get receivedMax(): number {
    return this.window.newest;
  }

  /** Largest plaintext that `seal` accepts; the type counts as well when it is inside the plaintext. */
  get contentBytesMax(): number {
    return this.sendBytesMax - (this.hasSendId ? 1 : 0);
  }

  /** Returns the whole record. @throws RecordTooLarge, SequenceExhausted, StateNotSaved */
  seal(type: number, plaintext: Buffer): Buffer {
    if (plaintext.length > this.contentBytesMax) throw new RecordTooLarge(plaintext.length, this.contentBytesMax);
    const sequence = this.sendSequence;
    if (sequence > SEQUENCE_MAX) throw new SequenceExhausted();
    if (sequence >= this.sendSequenceEnd) throw new StateNotSaved();
    this.sendSequence += 1;
    if (this.protection === undefined) return encodePlainRecord(type, sequence, plaintext);
    const numbers = { epoch: this.number, sequence };
    if (!this.hasSendId) return this.protection.seal({ type, connectionId: NO_CONNECTION_ID, ...numbers }, plaintext);
    const header = { type: ContentType.ConnectionId, connectionId: peekBytes(this.sendId), ...numbers };
    return this.protection.seal(header, encodeInnerPlaintext(type, plaintext));
  }

  /** Never throws: a refused record is to be discarded (RFC 6347 §4.1.2.7). */
  open(record: WireRecord): OpenedRecord | Refusal {
    if (record.epoch !== this.number) return 'malformed';
    if (this.protection === undefined) return this.openPlain(record);
    if (packBytes(record.connectionId) !== this.receiveId) return 'malformed';
    if (!this.window.isFresh(record.sequence)) return 'replayed';
    const plaintext = this.protection.open(record);
    if (plaintext === undefined) return 'unauthentic';
    const isNewest = this.window.mark(record.sequence);
    if (plaintext.length > this.receiveBytesMax) return 'malformed';
    if (record.type !== ContentType.ConnectionId) return { type: record.type, plaintext, isNewest };
    const inner = decodeInnerPlaintext(plaintext);
    return inner === undefined ? 'malformed' : { ...inner, isNewest };
  }

  private get hasSendId(): boolean {
    return this.sendId.length > 0;
  }

  private openPlain({ type, fragment }: WireRecord): OpenedRecord | Refusal {
    if (type === ContentType.ConnectionId || fragment.length > PLAINTEXT_BYTES_MAX) return 'malformed';
    return { type, plaintext: fragment, isNewest: false };
  }
}
