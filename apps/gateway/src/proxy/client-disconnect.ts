import type { ServerResponse } from 'node:http';

/** Reports that the client disconnected before its response was complete. Each request has one: lighter than AbortSignal. */
export class ClientDisconnect {
  aborted = false;
  private listener: (() => void) | undefined;

  constructor(response: ServerResponse) {
    response.once('close', () => {
      if (response.writableFinished) return;
      this.aborted = true;
      this.listener?.();
    });
  }

  /** Called when the client disconnects; replaces the previous listener. */
  onDisconnect(listener: (() => void) | undefined): void {
    this.listener = listener;
  }
}
