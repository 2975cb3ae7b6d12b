import { type Role } from './key-block.js';
import { type PackedBytes } from './packed-bytes.js';
import { type CipherSuite } from './suites.js';
import { type RecordHeader, type WireRecord } from '../messages/record.js';

/** Protects the records of one epoch in both directions. It keeps no state between records. */
export interface RecordProtection {
  readonly suite: CipherSuite;
  /** The keys of both directions. */
  readonly keyBlock: PackedBytes;
  /** The role of the side that seals. */
  readonly role: Role;
  /** The whole record, header included. `plaintext` is not changed. */
  seal(header: RecordHeader, plaintext: Buffer): Buffer;
  /** The plaintext, or `undefined` when the record is not authentic. Never throws. */
  open(record: WireRecord): Buffer | undefined;
}
