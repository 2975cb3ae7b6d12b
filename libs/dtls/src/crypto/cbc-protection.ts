import { createCipheriv, createDecipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import { RECORD_HEADER_BYTES, type RecordHeader, type WireRecord, writeRecordHeader } from '../messages/record.js';
import { additionalData } from './additional-data.js';
import { HmacKey } from './hmac.js';
import { directionKeys, type Role } from './key-block.js';
import { type PackedBytes, unpackBytes } from './packed-bytes.js';
import { type RecordProtection } from './record-protection.js';
import { type CipherSuite } from './suites.js';

const BLOCK_BYTES = 16;
/** See `AeadProtection`. */
const KEY_OPTIONS = { encoding: 'latin1' } as const;

/**
 * AES-CBC with encrypt-then-MAC (RFC 7366): random IV, ciphertext, HMAC of both. The padding is examined only after the MAC, so
 * that there is no padding oracle.
 */
export class CbcProtection implements RecordProtection {
  constructor(
    readonly suite: CipherSuite,
    readonly keyBlock: PackedBytes,
    readonly role: Role,
  ) {}

  seal(header: RecordHeader, plaintext: Buffer): Buffer {
    const { macKey, key } = directionKeys(this.suite, this.keyBlock, this.role);
    const paddingLength = BLOCK_BYTES - 1 - (plaintext.length % BLOCK_BYTES);
    const encryptedBytes = BLOCK_BYTES + plaintext.length + paddingLength + 1;
    const fragmentBytes = encryptedBytes + this.suite.tagBytes;
    const record = Buffer.allocUnsafe(RECORD_HEADER_BYTES + header.connectionId.length + fragmentBytes);
    const start = writeRecordHeader(record, header, fragmentBytes);
    const iv = randomBytes(BLOCK_BYTES);
    const cipher = createCipheriv(this.suite.cipher, key, iv, KEY_OPTIONS).setAutoPadding(false);
    iv.copy(record, start);
    const written = cipher.update(plaintext).copy(record, start + BLOCK_BYTES);
    cipher.update(Buffer.alloc(paddingLength + 1, paddingLength)).copy(record, start + BLOCK_BYTES + written);
    cipher.final();
    const encrypted = record.subarray(start, start + encryptedBytes);
    mac(macKey, header, encrypted).copy(record, start + encryptedBytes);
    return record;
  }

  open(record: WireRecord): Buffer | undefined {
    const { fragment } = record;
    const encryptedBytes = fragment.length - this.suite.tagBytes;
    if (encryptedBytes < 2 * BLOCK_BYTES || encryptedBytes % BLOCK_BYTES !== 0) return undefined;
    const { macKey, key } = directionKeys(this.suite, this.keyBlock, this.role === 'client' ? 'server' : 'client');
    const encrypted = fragment.subarray(0, encryptedBytes);
    if (!timingSafeEqual(mac(macKey, record, encrypted), fragment.subarray(encryptedBytes))) return undefined;
    const iv = encrypted.subarray(0, BLOCK_BYTES);
    const decipher = createDecipheriv(this.suite.cipher, key, iv, KEY_OPTIONS).setAutoPadding(false);
    const padded = decipher.update(encrypted.subarray(BLOCK_BYTES));
    decipher.final();
    return withoutPadding(padded);
  }
}

/** The length is that of IV and ciphertext, without the MAC (RFC 7366 §3, erratum 4212). */
function mac(key: PackedBytes, header: RecordHeader, encrypted: Buffer): Buffer {
  return new HmacKey(unpackBytes(key)).digest(additionalData(header, encrypted.length), encrypted);
}

function withoutPadding(padded: Buffer): Buffer | undefined {
  const paddingLength = padded[padded.length - 1]!;
  const length = padded.length - paddingLength - 1;
  if (length < 0) return undefined;
  return padded.subarray(length).every((byte) => byte === paddingLength) ? padded.subarray(0, length) : undefined;
}
