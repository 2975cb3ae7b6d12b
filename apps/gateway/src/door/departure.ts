import type { ServerResponse } from 'node:http';

/** That a client leaves before its answer is complete. Lighter than an AbortSignal: there is one for each request. */
export class Departure {
  aborted = false;
  private listener: (() => void) | undefined;

  constructor(answer: ServerResponse) {
    answer.once('close', () => {
      if (answer.writableFinished) return;
      this.aborted = true;
      this.listener?.();
    });
  }

  /** Called when the client leaves; in place of the one before. */
  onLeave(listener: (() => void) | undefined): void {
    this.listener = listener;
  }
}
