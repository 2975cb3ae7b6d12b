import type { ServerResponse } from 'node:http';

/** Tells that the client disconnected before its response was complete. Lighter than an AbortSignal: there is one for each request. */
export class ClientDisconnect {
  aborted = false;
  private listener: (() => void) | undefined;

  constructor(answer: ServerResponse) {
    answer.once('close', () => {
      if (answer.writableFinished) return;
      this.aborted = true;
      this.listener?.();
    });
  }

  /** Called when the client disconnects; replaces the previous listener. */
  onDisconnect(listener: (() => void) | undefined): void {
    this.listener = listener;
  }
}
