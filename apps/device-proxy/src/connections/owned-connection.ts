import type { DtlsConnection } from '@lanyard/dtls';
import { saveAfterMs, saveAfterRecords } from './limits.js';

type Counters = Pick<DtlsConnection, 'sendSequence' | 'receivedMax'>;

/** Of a connection without any: nothing was received. */
const noRecords = -1;

const recordsOf = ({ sendSequence, receivedMax }: Counters): number => sendSequence + receivedMax;

const secondsAt = (ms: number): number => Math.floor(ms / 1_000);

/** What this replica knows about the saved state of one of its connections. There are many: few and small numbers only. */
export class OwnedConnection {
  isSaved = false;
  saving: Promise<void> | undefined;
  /** The saved state expires before the registration of the device: a save is due. */
  isShort = false;
  /** In seconds, as when Redis forgets it: V8 keeps milliseconds in an object of their own. */
  private savedAtSeconds = 0;
  private keptUntilSeconds = 0;
  private recordsSaved = noRecords;

  /**
   * @param epoch With which this replica has it.
   * @param confirmedRound The latest round of doubts in which it was this replica's.
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
    return records >= saveAfterRecords || nowMs - this.savedAtSeconds * 1_000 >= saveAfterMs;
  }

  /** Whether Redis forgets it before then. */
  endsBefore(untilMs: number): boolean {
    return this.keptUntilSeconds * 1_000 < untilMs;
  }

  /** @param keptMs For how long Redis keeps it from now on. */
  saved(counters: Counters, nowMs: number, keptMs: number): void {
    this.isSaved = true;
    this.isShort = false;
    this.savedAtSeconds = secondsAt(nowMs);
    this.keptUntilSeconds = secondsAt(nowMs + keptMs);
    this.recordsSaved = recordsOf(counters);
  }
}
