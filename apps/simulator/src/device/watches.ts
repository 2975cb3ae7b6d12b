/** A resource of a device that the server observes. */
export interface Watch {
  readonly device: { report(watch: Watch): Promise<void> };
  readonly path: string;
  token: Buffer;
  /** Observe number of the last notification. */
  number: number;
  /** A notification is in flight. */
  busy: boolean;
  /** Index among all watches; -1 after removal. */
  place: number;
}

/** Every observed resource of the fleet, in turn. Adding, removing and taking the next one take constant time. */
export class Watches {
  private readonly all: Watch[] = [];
  private turn = 0;

  get size(): number {
    return this.all.length;
  }

  add(watch: Watch): void {
    watch.place = this.all.length;
    this.all.push(watch);
  }

  /** The last one takes its place. */
  remove(watch: Watch): void {
    const last = this.all.at(-1);
    if (watch.place < 0 || last === undefined) return;
    this.all[watch.place] = last;
    last.place = watch.place;
    this.all.pop();
    watch.place = -1;
  }

  /** The next one that does not wait for an acknowledgement. */
  next(): Watch | undefined {
    for (let tried = 0; tried < this.all.length; tried++) {
      if (this.turn >= this.all.length) this.turn = 0;
      const watch = this.all[this.turn++];
      if (watch && !watch.busy) return watch;
    }
    return undefined;
  }
}
