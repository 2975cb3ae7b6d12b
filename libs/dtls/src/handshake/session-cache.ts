import { timingSafeEqual } from 'node:crypto';
import { HmacKey } from '../crypto/hmac.js';
import { type CipherSuite } from '../crypto/suites.js';
import { type DtlsClock } from '../timing/clock.js';

/** What resumes without a key exchange (RFC 5246 §7.3). Only sessions with an extended master secret are kept (RFC 7627 §5.3). */
export interface Session {
  id: Buffer;
  suite: CipherSuite;
  masterSecret: Buffer;
  /** Result of `packCredential`. */
  peer: Buffer;
  /** Of the pre-shared key that the session was agreed with, see `keyProof`. */
  keyProof?: Buffer;
}

interface Entry {
  session: Session;
  expiresAtMs: number;
}

/** The sessions of one server. The one that was added first makes room. */
export class SessionCache {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly clock: DtlsClock,
    private readonly sessionsMax: number,
    private readonly sessionMs: number,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get isOff(): boolean {
    return this.sessionsMax === 0;
  }

  add(session: Session): void {
    if (this.isOff) return;
    this.entries.set(session.id.toString('hex'), { session, expiresAtMs: this.clock.nowMs() + this.sessionMs });
    if (this.entries.size > this.sessionsMax) this.entries.delete(this.entries.keys().next().value!);
  }

  find(id: Buffer): Session | undefined {
    if (id.length === 0) return undefined;
    const key = id.toString('hex');
    const entry = this.entries.get(key);
    if (entry === undefined || entry.expiresAtMs > this.clock.nowMs()) return entry?.session;
    this.entries.delete(key);
    return undefined;
  }

  forget(id: Buffer): void {
    this.entries.delete(id.toString('hex'));
  }
}

const PROOF_LABEL = Buffer.from('pre-shared key');

/** Shows later whether a key is still the same, without keeping it. */
export const keyProof = (masterSecret: Buffer, key: Buffer): Buffer =>
  new HmacKey(masterSecret).digest(PROOF_LABEL, key);

/** Whether a session was agreed with this key: a withdrawn or replaced key cannot be used by resuming. */
export const wasAgreedWith = (session: Session, key: Buffer | undefined): boolean =>
  key !== undefined &&
  session.keyProof !== undefined &&
  timingSafeEqual(session.keyProof, keyProof(session.masterSecret, key));
