import { setBounded } from '@lanyard/service';
import type { Clock } from '@lanyard/service';
import type { Rate } from '../config.js';
import { gcra } from './gcra.js';

const namesMax = 50_000;

/** Rates of many names, in this replica's memory. Bounded: the least recently used names are forgotten. */
export class LocalRates {
  private readonly tats = new Map<string, number>();

  constructor(
    private readonly rate: Rate,
    private readonly clock: Clock,
    private readonly namesBound = namesMax,
  ) {}

  /** 0: taken. Otherwise how long to wait. */
  takeToken(name: string): number {
    const { tatMs, waitMs } = gcra(this.tats.get(name) ?? 0, this.clock.now(), this.rate);
    setBounded(this.tats, name, tatMs, this.namesBound);
    return waitMs;
  }

  /** How long to wait before one can be taken, without taking it. */
  waitMs(name: string): number {
    return gcra(this.tats.get(name) ?? 0, this.clock.now(), this.rate).waitMs;
  }
}
