import type { Clock } from '@lanyard/service';
import { lookupKeptMs, lookupsKeptMax } from './limits.js';

/** For a while, whose a connection is: of another replica, or of none. */
export class LookupResults {
  /** The oldest first. */
  private readonly byId = new Map<string, { owner: string; untilMs: number }>();

  constructor(private readonly clock: Clock) {}

  ownerOf(id: string): string | undefined {
    const result = this.byId.get(id);
    if (!result || result.untilMs > this.clock.now()) return result?.owner;
    this.byId.delete(id);
    return undefined;
  }

  set(id: string, owner: string): void {
    this.byId.delete(id);
    this.byId.set(id, { owner, untilMs: this.clock.now() + lookupKeptMs });
    if (this.byId.size > lookupsKeptMax) this.byId.delete(this.byId.keys().next().value as string);
  }

  delete(id: string): void {
    this.byId.delete(id);
  }
}
