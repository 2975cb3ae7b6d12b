import { Injectable } from '@nestjs/common';
import { KeyDirectory } from './key-directory.js';

/** Keys that changed since the start, until the change is applied to their channels. Until then, their callbacks are not called. */
@Injectable()
export class PendingKeyChanges {
  /** Key -> number of its latest change, in the order in which they are applied. */
  private readonly changes = new Map<string, number>();
  private count = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly keys: KeyDirectory) {}

  /** Called once all keys are read: channels are compared with these keys before anything is delivered. */
  follow(): void {
    this.keys.onChange((keyId) => {
      this.changes.set(keyId, ++this.count);
      for (const listener of this.listeners) listener();
    });
  }

  has(keyId: string): boolean {
    return this.changes.has(keyId);
  }

  keyIds(): IterableIterator<string> {
    return this.changes.keys();
  }

  /** undefined: no change is pending. */
  latest(keyId: string): number | undefined {
    return this.changes.get(keyId);
  }

  /** Records that this change of the key is applied. A later one stays pending. */
  applied(keyId: string, change: number | undefined): void {
    if (this.changes.get(keyId) === change) this.changes.delete(keyId);
  }

  /** The change could not be applied: all others are tried before it is tried again. */
  postpone(keyId: string): void {
    const change = this.changes.get(keyId);
    if (change === undefined) return;
    this.changes.delete(keyId);
    this.changes.set(keyId, change);
  }

  onAdded(listener: () => void): void {
    this.listeners.push(listener);
  }
}
