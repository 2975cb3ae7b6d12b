import { type ObservePosition } from './observe-order.js';

/** A notification that is being handled. */
export class Turn {
  private waiting: (() => void)[] | undefined;

  constructor(readonly position: ObservePosition) {}

  /** Resolves when the handler has finished, whether it succeeded or failed. */
  whenEnded(): Promise<void> {
    return new Promise((resolve) => (this.waiting ??= []).push(resolve));
  }

  end(): void {
    for (const resolve of this.waiting ?? []) resolve();
  }
}
