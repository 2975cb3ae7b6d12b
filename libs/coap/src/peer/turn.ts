import { type ObservePosition } from './observe-order.js';

/** A notification that is being handled. */
export class Turn {
  private waiting: (() => void)[] | undefined;

  constructor(readonly position: ObservePosition) {}

  /** Resolves when the notification has been handled, or could not be. */
  over(): Promise<void> {
    return new Promise((resolve) => (this.waiting ??= []).push(resolve));
  }

  end(): void {
    for (const go of this.waiting ?? []) go();
  }
}
