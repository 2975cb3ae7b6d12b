import { CoapError } from '@lanyard/coap';
import { Planned } from './reader.mjs';

/** What an endpoint did: each event counted, and unexpected errors. */
export class Findings {
  constructor() {
    /** @type {Map<string, number>} */
    this.events = new Map();
    /** @type {unknown[]} */
    this.unexpected = [];
  }

  /** @param {string} event */
  count(event) {
    this.events.set(event, this.of(event) + 1);
  }

  /** @param {string} event */
  of(event) {
    return this.events.get(event) ?? 0;
  }

  /** Errors of the protocol and those that handlers throw on purpose are none. @param {unknown} error */
  report(error) {
    if (!(error instanceof CoapError) && !(error instanceof Planned)) this.unexpected.push(error);
  }
}
