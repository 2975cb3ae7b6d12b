import { timingSafeEqual } from 'node:crypto';
import { HmacKey } from '../crypto/hmac.js';
import { MASTER_SECRET_BYTES } from '../crypto/master-secret.js';
import { type PackedBytes, packBytes, peekBytes, unpackBytes } from '../crypto/packed-bytes.js';
import { SHA256_BYTES } from '../crypto/sha256.js';
import { type CipherSuite, cipherSuite } from '../crypto/suites.js';
import { type DtlsLimits } from '../limits.js';
import { type DtlsClock } from '../timing/clock.js';

/** A session that resumes without a key exchange (RFC 5246 §7.3). Only those with an extended master secret are kept (RFC 7627 §5.3). */
export interface Session {
  id: Buffer;
  suite: CipherSuite;
  masterSecret: Buffer;
  /** Result of `packCredential`. */
  peer: PackedBytes;
  /** Proof of the pre-shared key with which the session was agreed, see `keyProof`. */
  keyProof?: Buffer;
}

const NO_PROOF = Buffer.alloc(0);
const PROOF_LABEL = Buffer.from('pre-shared key');

/** Layout of the head: id of the suite, and the time when the entry expires. */
const TIME_OFFSET = 2;
const HEAD_BYTES = 10;

/** Head, master secret, proof of the key if the suite has one, peer. An object with these fields would take half as much memory again. */
type Entry = PackedBytes;

/** The sessions of one server. Those that were added first are evicted first. */
export class SessionCache {
  private readonly entries = new Map<PackedBytes, Entry>();
  /**
   * One iterator for all evictions: a new one would first pass over all entries that were deleted since the map last
   * cleaned up, which are thousands.
   */
  private readonly oldest = this.entries.keys();
  /** The session of each of the latest connections, by the id of the connection. Sessions of earlier ones are mostly evicted. */
  private readonly ofConnections = new Map<string, PackedBytes>();
  private readonly oldestConnection = this.ofConnections.keys();
  private bytes = 0;

  constructor(
    private readonly clock: DtlsClock,
    private readonly bounds: Pick<DtlsLimits, 'sessionsMax' | 'sessionBytesMax' | 'sessionMs'>,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get isOff(): boolean {
    return this.bounds.sessionsMax === 0;
  }

  add(session: Session): void {
    if (this.isOff) return;
    const key = packBytes(session.id);
    const entry = entryOf(session, this.clock.nowMs() + this.bounds.sessionMs);
    this.delete(key);
    this.entries.set(key, entry);
    this.bytes += entry.length;
    const { sessionsMax, sessionBytesMax } = this.bounds;
    while (this.entries.size > sessionsMax || this.bytes > sessionBytesMax) this.delete(this.oldest.next().value!);
  }

  find(id: Buffer): Session | undefined {
    if (id.length === 0) return undefined;
    const key = packBytes(id);
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    const bytes = unpackBytes(entry);
    if (bytes.readDoubleBE(TIME_OFFSET) > this.clock.nowMs()) return sessionOf(id, bytes);
    this.delete(key);
    return undefined;
  }

  /** @param key The packed id of the session; empty: the connection has none. */
  connectionBegan(connectionId: string, key: PackedBytes): void {
    if (key === '' || this.isOff) return;
    this.ofConnections.set(connectionId, key);
    if (this.ofConnections.size > this.bounds.sessionsMax)
      this.ofConnections.delete(this.oldestConnection.next().value!);
  }

  /** @param isAlert The connection ended by a fatal alert, which invalidates its session (RFC 5246 §7.2.2). */
  connectionEnded(connectionId: string, isAlert: boolean): void {
    const key = this.ofConnections.get(connectionId);
    if (key === undefined) return;
    this.ofConnections.delete(connectionId);
    if (isAlert) this.delete(key);
  }

  /** @param key The packed id of the session. */
  delete(key: PackedBytes): void {
    this.bytes -= this.entries.get(key)?.length ?? 0;
    this.entries.delete(key);
  }
}

function entryOf({ suite, masterSecret, keyProof = NO_PROOF, peer }: Session, expiresAtMs: number): Entry {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt16BE(suite.id);
  head.writeDoubleBE(expiresAtMs, TIME_OFFSET);
  return packBytes(Buffer.concat([head, masterSecret, keyProof, peekBytes(peer)]));
}

function sessionOf(id: Buffer, entry: Buffer): Session {
  const suite = cipherSuite(entry.readUInt16BE())!;
  const hasProof = suite.keyExchange === 'psk';
  const secretEnd = HEAD_BYTES + MASTER_SECRET_BYTES;
  const proofEnd = secretEnd + (hasProof ? SHA256_BYTES : 0);
  return {
    id: Buffer.from(id),
    suite,
    masterSecret: entry.subarray(HEAD_BYTES, secretEnd),
    keyProof: hasProof ? entry.subarray(secretEnd, proofEnd) : undefined,
    peer: packBytes(entry.subarray(proofEnd)),
  };
}

/** Allows a later check that a key is still the same, without keeping the key. */
export const keyProof = (masterSecret: Buffer, key: Buffer): Buffer =>
  new HmacKey(masterSecret).digest(PROOF_LABEL, key);

/** Whether a session was agreed with this key: a session of a withdrawn or replaced key cannot be resumed. */
export const wasAgreedWith = (session: Session, key: Buffer | undefined): boolean =>
  key !== undefined &&
  session.keyProof !== undefined &&
  timingSafeEqual(session.keyProof, keyProof(session.masterSecret, key));
