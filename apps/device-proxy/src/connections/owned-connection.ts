import type { DtlsConnection } from '@lanyard/dtls';
import { saveAfterMs, saveAfterRecords } from './limits.js';

type Counters = Pick<DtlsConnection, 'sendSequence' | 'receivedMax'>;

/** The result of `recordsOf` for a connection that has neither sent nor received a record. */
const noRecords = -1;

/** Grows with each record that is sent, and with each that is received with the highest sequence number so far. */
const recordsOf = ({ sendSequence, receivedMax }: Counters): number => sendSequence + receivedMax;

const secondsAt = (ms: number): number => Math.floor(ms / 1_000);

/** What this replica knows about the saved state of one of its connections. Few and small numbers, because there are many. */
export class OwnedConnection {
  isSaved = false;
  saving: Promise<void> | undefined;
  /** The saved state expires before the registration of the device: a save is due. */
  isShort = false;
  /** In seconds, as is the time when Redis forgets the state: V8 stores milliseconds in a separate object. */
  private savedAtSeconds = 0;
  private keptUntilSeconds = 0;
  private recordsSaved = noRecords;

  /**
   * @param epoch The epoch with which this replica owns the connection.
   * @param confirmedRound The latest `doubtRound` of OwnedConnections in which the connection was this replica's.
   */
  constructor(
    readonly id: string,
    readonly epoch: number,
    public confirmedRound: number,
  ) {}

  isDue(connection: Counters, nowMs: number): boolean {
    if (this.isShort) return true;
    const records = recordsOf(connection) - this.recordsSaved;
    if (records === 0) return !this.isSaved;
    // The absolute difference, so that no save is put off when the clock is set back.
    return records >= saveAfterRecords || Math.abs(nowMs - this.savedAtSeconds * 1_000) >= saveAfterMs;
  }

  /** Whether Redis forgets the state before that time. */
  endsBefore(untilMs: number): boolean {
    return this.keptUntilSeconds * 1_000 < untilMs;
  }

  /** @param keptMs How long Redis keeps the state from now on. */
  saved(counters: Counters, nowMs: number, keptMs: number): void {
    this.isSaved = true;
    this.isShort = false;
    this.savedAtSeconds = secondsAt(nowMs);
    this.keptUntilSeconds = secondsAt(nowMs + keptMs);
    this.recordsSaved = recordsOf(counters);
  }
}
