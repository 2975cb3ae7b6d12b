import { type CoapClock } from './clock.js';

/** A function that will run once. */
export interface Timer {
  cancel(): void;
}

interface Entry extends Timer {
  dueTick: number;
  run: (() => void) | undefined;
  previous: Entry;
  next: Entry;
}

const TICK_MS = 100;
/** 102.4 s per turn: longer than nearly every timer; longer timers wait for a later turn. */
const SLOTS = 1_024;

/**
 * All timers of one or many endpoints, hashed by their tick, so that setting and cancelling cost the same however many there are.
 * The wheel ticks only while a timer is waiting. The functions that run must not throw.
 */
export class TimerWheel {
  private readonly slots: (Entry | undefined)[] = new Array<Entry | undefined>(SLOTS);
  private ticker: { stop(): void } | undefined;
  private tick = 0;
  private waiting = 0;

  constructor(private readonly clock: CoapClock) {}

  get size(): number {
    return this.waiting;
  }

  /** Runs once, `delayMs` from now, rounded up to the next tick of 100 ms. */
  schedule(delayMs: number, run: () => void): Timer {
    if (this.ticker === undefined) this.start();
    const dueTick = Math.max(this.tick + 1, Math.ceil((this.clock.nowMs() + delayMs) / TICK_MS));
    const entry = { dueTick, run } as Entry;
    entry.cancel = () => this.remove(entry);
    this.insert(entry);
    return entry;
  }

  clear(): void {
    // A later `cancel` of one of them, and a slot that runs at this moment, must find that it is gone.
    for (const head of this.slots) for (let entry = head; entry?.run; entry = entry.next) entry.run = undefined;
    this.slots.fill(undefined);
    this.waiting = 0;
    this.ticker?.stop();
    this.ticker = undefined;
  }

  private start(): void {
    this.tick = this.currentTick();
    this.ticker = this.clock.every(TICK_MS, () => this.advance());
  }

  private currentTick(): number {
    return Math.floor(this.clock.nowMs() / TICK_MS);
  }

  private insert(entry: Entry): void {
    const slot = entry.dueTick % SLOTS;
    const head = this.slots[slot];
    if (head === undefined) {
      entry.previous = entry.next = entry;
      this.slots[slot] = entry;
    } else {
      entry.next = head;
      entry.previous = head.previous;
      head.previous.next = entry;
      head.previous = entry;
    }
    this.waiting += 1;
  }

  private remove(entry: Entry): void {
    if (entry.run === undefined) return;
    entry.run = undefined;
    const slot = entry.dueTick % SLOTS;
    if (entry.next === entry) this.slots[slot] = undefined;
    else {
      entry.previous.next = entry.next;
      entry.next.previous = entry.previous;
      if (this.slots[slot] === entry) this.slots[slot] = entry.next;
    }
    this.waiting -= 1;
  }

  private advance(): void {
    const now = this.currentTick();
    // After a long stall, one turn visits every slot, however far it is.
    const first = Math.max(this.tick + 1, now - SLOTS + 1);
    this.tick = now;
    for (let tick = first; tick <= now; tick += 1) this.runSlot(tick % SLOTS, now);
    if (this.waiting === 0) {
      this.ticker?.stop();
      this.ticker = undefined;
    }
  }

  /** Collects due timers first, because the functions that run may set and cancel timers of the same slot. */
  private runSlot(slot: number, now: number): void {
    const head = this.slots[slot];
    if (head === undefined) return;
    const due: Entry[] = [];
    let entry = head;
    do {
      if (entry.dueTick <= now) due.push(entry);
      entry = entry.next;
    } while (entry !== head);
    for (const one of due) {
      const run = one.run;
      this.remove(one);
      run?.();
    }
  }
}
