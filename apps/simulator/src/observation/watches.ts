import { type Watch } from './watch.js';

/** Every observation of a group; those of measured values report in turn. Each operation takes constant time. */
export class Watches {
  private readonly turns: Watch[] = [];
  private readonly all = new Set<Watch>();
  private turn = 0;

  get size(): number {
    return this.all.size;
  }

  /** Whether any watches report in turn. */
  get isMeasured(): boolean {
    return this.turns.length > 0;
  }

  add(watch: Watch): void {
    this.all.add(watch);
    if (!watch.measured) return;
    watch.turnIndex = this.turns.length;
    this.turns.push(watch);
  }

  /** Moves the last watch to the index of the removed one. */
  remove(watch: Watch): void {
    this.all.delete(watch);
    const last = this.turns.at(-1);
    if (watch.turnIndex < 0 || last === undefined) return;
    this.turns[watch.turnIndex] = last;
    last.turnIndex = watch.turnIndex;
    this.turns.pop();
    watch.turnIndex = -1;
  }

  /** The next watch that does not wait for an acknowledgement. */
  next(): Watch | undefined {
    for (let tried = 0; tried < this.turns.length; tried++) {
      if (this.turn >= this.turns.length) this.turn = 0;
      const watch = this.turns[this.turn++];
      if (watch && !watch.busy) return watch;
    }
    return undefined;
  }
}
