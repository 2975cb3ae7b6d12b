import { timingSafeEqual } from 'node:crypto';
import { HmacKey } from '../crypto/hmac.js';
import { MASTER_SECRET_BYTES } from '../crypto/master-secret.js';
import { type PackedBytes, packBytes, peekBytes, unpackBytes } from '../crypto/packed-bytes.js';
import { SHA256_BYTES } from '../crypto/sha256.js';
import { type CipherSuite } from '../crypto/suites.js';
import { type DtlsLimits } from '../limits.js';
import { type DtlsClock } from '../timing/clock.js';

/** What resumes without a key exchange (RFC 5246 §7.3). Only sessions with an extended master secret are kept (RFC 7627 §5.3). */
export interface Session {
  id: Buffer;
  suite: CipherSuite;
  masterSecret: Buffer;
  /** Result of `packCredential`. */
  peer: PackedBytes;
  /** Of the pre-shared key that the session was agreed with, see `keyProof`. */
  keyProof?: Buffer;
}

const NO_PROOF = Buffer.alloc(0);
const PROOF_LABEL = Buffer.from('pre-shared key');

interface Entry {
  suite: CipherSuite;
  /** Master secret, proof of the key if the suite has one, peer. */
  secrets: PackedBytes;
  expiresAtMs: number;
}

/** The sessions of one server. Those that were added first make room. */
export class SessionCache {
  private readonly entries = new Map<PackedBytes, Entry>();
  /** Kept: a new iterator would pass by all entries that were deleted since the map last cleaned up, which are thousands. */
  private readonly oldest = this.entries.keys();
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
    const { suite, masterSecret, keyProof = NO_PROOF, peer } = session;
    const secrets = packBytes(Buffer.concat([masterSecret, keyProof, peekBytes(peer)]));
    this.delete(packBytes(session.id));
    this.entries.set(packBytes(session.id), {
      suite,
      secrets,
      expiresAtMs: this.clock.nowMs() + this.bounds.sessionMs,
    });
    this.bytes += secrets.length;
    const { sessionsMax, sessionBytesMax } = this.bounds;
    while (this.entries.size > sessionsMax || this.bytes > sessionBytesMax) this.delete(this.oldest.next().value!);
  }

  find(id: Buffer): Session | undefined {
    if (id.length === 0) return undefined;
    const key = packBytes(id);
    const entry = this.entries.get(key);
    if (entry === undefined || entry.expiresAtMs > this.clock.nowMs()) return entry && sessionOf(id, entry);
    this.delete(key);
    return undefined;
  }

  private delete(key: PackedBytes): void {
    this.bytes -= this.entries.get(key)?.secrets.length ?? 0;
    this.entries.delete(key);
  }
}

function sessionOf(id: Buffer, { suite, secrets }: Entry): Session {
  const hasProof = suite.keyExchange === 'psk';
  const proofEnd = MASTER_SECRET_BYTES + (hasProof ? SHA256_BYTES : 0);
  return {
    id: Buffer.from(id),
    suite,
    masterSecret: unpackBytes(secrets.slice(0, MASTER_SECRET_BYTES)),
    keyProof: hasProof ? unpackBytes(secrets.slice(MASTER_SECRET_BYTES, proofEnd)) : undefined,
    peer: secrets.slice(proofEnd),
  };
}

/** Shows later whether a key is still the same, without keeping it. */
export const keyProof = (masterSecret: Buffer, key: Buffer): Buffer =>
  new HmacKey(masterSecret).digest(PROOF_LABEL, key);

/** Whether a session was agreed with this key: a withdrawn or replaced key cannot be used by resuming. */
export const wasAgreedWith = (session: Session, key: Buffer | undefined): boolean =>
  key !== undefined &&
  session.keyProof !== undefined &&
  timingSafeEqual(session.keyProof, keyProof(session.masterSecret, key));
