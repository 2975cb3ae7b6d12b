import type { DtlsConnection } from '@lanyard/dtls';
import { saveAfterMs, saveAfterRecords } from './limits.js';

/** What this replica knows about the saved state of one of its connections. There are many: numbers only. */
export class OwnedConnection {
  isSaved = false;
  saving: Promise<void> | undefined;
  savedAtMs = 0;
  /** When Redis forgets it. */
  keptUntilMs = 0;
  /** Which is too early: a save is due. */
  isShort = false;
  private sendSaved = 0;
  private receivedSaved = -1;

  /**
   * @param epoch With which this replica has it.
   * @param confirmed The latest round of doubts in which it was this replica's.
   */
  constructor(
    readonly id: string,
    readonly epoch: number,
    public confirmed: number,
  ) {}

  isDue({ sendSequence, receivedMax }: DtlsConnection, nowMs: number): boolean {
    if (this.isShort) return true;
    const records = sendSequence - this.sendSaved + receivedMax - this.receivedSaved;
    if (records === 0) return !this.isSaved;
    return records >= saveAfterRecords || nowMs - this.savedAtMs >= saveAfterMs;
  }

  saved({ sendSequence, receivedMax }: Pick<DtlsConnection, 'sendSequence' | 'receivedMax'>, nowMs: number): void {
    this.isSaved = true;
    this.isShort = false;
    this.savedAtMs = nowMs;
    this.sendSaved = sendSequence;
    this.receivedSaved = receivedMax;
  }
}
