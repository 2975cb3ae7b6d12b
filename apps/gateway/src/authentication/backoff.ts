import { CLOCK, type Clock, setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';

/** Attempts without a delay: an old secret may have been pasted by mistake. */
const freeFailures = 5;
const firstWaitMs = 1_000;
const waitMaxMs = 15 * 60_000;
/** Failures are forgotten this long after the last one. */
const forgetMs = 60 * 60_000;
const namesMax = 50_000;

interface Failures {
  count: number;
  lastMs: number;
}

/**
 * Waits that double with each failure of a name: 1 s, 2 s, 4 s … 15 min. In this replica's memory, bounded. A name is
 * a source together with a key id: a client that guesses at a key from elsewhere does not lock out its owner. Nor does an
 * instance with an old secret lock out one with the new secret, because known keys are admitted without this check. A success
 * does not end a wait: it may come from the other instance.
 */
@Injectable()
export class Backoff {
  private readonly failures = new Map<string, Failures>();

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** 0: may try now. */
  waitMs(name: string): number {
    const known = this.recent(name);
    if (!known || known.count < freeFailures) return 0;
    const wait = Math.min(waitMaxMs, firstWaitMs * 2 ** (known.count - freeFailures));
    return Math.max(0, known.lastMs + wait - this.clock.now());
  }

  failed(name: string): void {
    const count = (this.recent(name)?.count ?? 0) + 1;
    setBounded(this.failures, name, { count, lastMs: this.clock.now() }, namesMax);
  }

  private recent(name: string): Failures | undefined {
    const known = this.failures.get(name);
    const now = this.clock.now();
    // The clock was set back: the wait begins again, instead of lasting until the clock has caught up.
    if (known && known.lastMs > now) known.lastMs = now;
    return known && now - known.lastMs < forgetMs ? known : undefined;
  }
}
