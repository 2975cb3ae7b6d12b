import { createCipheriv, createDecipheriv } from 'node:crypto';
import {
  RECORD_HEADER_BYTES,
  type RecordHeader,
  type WireRecord,
  writeRecordHeader,
  writeRecordNumber,
} from '../messages/record.js';
import { additionalData } from './additional-data.js';
import { directionKeys, type Role } from './key-block.js';
import { type PackedBytes } from './packed-bytes.js';
import { type RecordProtection } from './record-protection.js';
import { type CipherSuite } from './suites.js';

const IMPLICIT_NONCE_BYTES = 4;
/** Epoch and sequence number: unique in an epoch, as RFC 6655 §3 suggests. */
const EXPLICIT_NONCE_BYTES = 8;

/** `encoding` is the encoding of the key. */
const optionsOf = (authTagLength: number) => ({ authTagLength, encoding: 'latin1' }) as const;

/** Filled and consumed within one call. */
const nonce = Buffer.alloc(IMPLICIT_NONCE_BYTES + EXPLICIT_NONCE_BYTES);

/**
 * AES-CCM and AES-GCM (RFC 6655, RFC 5288): explicit nonce, ciphertext, tag.
 *
 * A cipher takes its key as the string that is part of the key block. A `KeyObject` would be created for each record, which costs
 * a microsecond, or kept for each connection, which costs a kilobyte.
 */
export class AeadProtection implements RecordProtection {
  constructor(
    readonly suite: CipherSuite,
    readonly keyBlock: PackedBytes,
    readonly role: Role,
  ) {}

  seal(header: RecordHeader, plaintext: Buffer): Buffer {
    const { cipher: name, tagBytes } = this.suite;
    const { key, iv } = directionKeys(this.suite, this.keyBlock, this.role);
    const fragmentBytes = EXPLICIT_NONCE_BYTES + plaintext.length + tagBytes;
    const record = Buffer.allocUnsafe(RECORD_HEADER_BYTES + header.connectionId.length + fragmentBytes);
    const start = writeRecordHeader(record, header, fragmentBytes);
    writeRecordNumber(record, start, header);
    nonce.write(iv, 'latin1');
    writeRecordNumber(nonce, IMPLICIT_NONCE_BYTES, header);
    const cipher = createCipheriv(name as 'aes-128-ccm', key, nonce, optionsOf(tagBytes));
    cipher.setAAD(additionalData(header, plaintext.length), { plaintextLength: plaintext.length });
    cipher.update(plaintext).copy(record, start + EXPLICIT_NONCE_BYTES);
    cipher.final();
    cipher.getAuthTag().copy(record, record.length - tagBytes);
    return record;
  }

  open(record: WireRecord): Buffer | undefined {
    const { cipher: name, tagBytes } = this.suite;
    const { fragment } = record;
    const plaintextLength = fragment.length - EXPLICIT_NONCE_BYTES - tagBytes;
    if (plaintextLength < 0) return undefined;
    const { key, iv } = directionKeys(this.suite, this.keyBlock, this.role === 'client' ? 'server' : 'client');
    nonce.write(iv, 'latin1');
    fragment.copy(nonce, IMPLICIT_NONCE_BYTES, 0, EXPLICIT_NONCE_BYTES);
    const decipher = createDecipheriv(name as 'aes-128-ccm', key, nonce, optionsOf(tagBytes));
    decipher.setAuthTag(fragment.subarray(fragment.length - tagBytes));
    decipher.setAAD(additionalData(record, plaintextLength), { plaintextLength });
    try {
      const plaintext = decipher.update(fragment.subarray(EXPLICIT_NONCE_BYTES, fragment.length - tagBytes));
      decipher.final();
      return plaintext;
    } catch {
      return undefined;
    }
  }
}
