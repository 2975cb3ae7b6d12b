import { type Clock, setBounded } from '@lanyard/service';
import { lookupKeptMs, lookupsKeptMax } from './limits.js';

/** Remembers for a while which replica owns a connection, or that none does. */
export class LookupResults {
  /** In order of age, the oldest result first. */
  private readonly byId = new Map<string, { owner: string; sinceMs: number }>();

  constructor(private readonly clock: Clock) {}

  /** Returns 'none' when no replica has the connection; undefined when no recent result is known. */
  ownerOf(id: string): string | undefined {
    const result = this.byId.get(id);
    // The absolute difference, so that no result is kept for longer when the clock is set back.
    if (!result || Math.abs(this.clock.now() - result.sinceMs) < lookupKeptMs) return result?.owner;
    this.byId.delete(id);
    return undefined;
  }

  set(id: string, owner: string): void {
    setBounded(this.byId, id, { owner, sinceMs: this.clock.now() }, lookupsKeptMax);
  }

  delete(id: string): void {
    this.byId.delete(id);
  }
}
