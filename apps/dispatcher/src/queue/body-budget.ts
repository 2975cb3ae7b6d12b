import { Injectable } from '@nestjs/common';
import { bodyBytesMax, socketBufferBytesMax, socketReadAhead } from '../limits.js';

/** Bytes of messages that a replica has on their way, of all channels, before messages become small. */
const plentyBytes = 96 * 1024 * 1024;

/** A message then, and what a socket may have to write: thousands of stalled receivers fit beside others. */
const smallBytes = 64 * 1024;

/**
 * How large messages may be. A message stays in memory until its receiver has read it, so when receivers with much in
 * their queues are stalled, what goes out from then on is cut small.
 */
@Injectable()
export class BodyBudget {
  private inFlight = 0;

  /** A message of so many bytes is on its way until the returned function is called. */
  begin(bytes: number): () => void {
    this.inFlight += bytes;
    let isInFlight = true;
    return () => {
      if (isInFlight) this.inFlight -= bytes;
      isInFlight = false;
    };
  }

  /** Size of one message. */
  get bodyBytesMax(): number {
    return this.isTight ? smallBytes : bodyBytesMax;
  }

  /** Bytes that a socket may have unsent before it gets more. */
  get socketBytesMax(): number {
    return this.isTight ? smallBytes : socketBufferBytesMax;
  }

  /** Bytes of messages that are read for a socket together, most of them before it has room for them. */
  get readAheadBytesMax(): number {
    return this.isTight ? 0 : socketReadAhead.bytesMax;
  }

  private get isTight(): boolean {
    return this.inFlight > plentyBytes;
  }
}
