import { CoapError } from '@lanyard/coap';
import { Planned } from './reader.ts';

/** What an endpoint did: counts of events, and unexpected errors. */
export class Findings {
  events = new Map<string, number>();
  unexpected: unknown[] = [];

  count(event: string) {
    this.events.set(event, this.of(event) + 1);
  }

  of(event: string) {
    return this.events.get(event) ?? 0;
  }

  /** Errors of the protocol and errors that handlers throw on purpose are no findings. */
  report(error: unknown) {
    if (!(error instanceof CoapError) && !(error instanceof Planned)) this.unexpected.push(error);
  }
}
