import { Injectable } from '@nestjs/common';
import { bodyBytesMax, socketMessageBytesMax, socketReadAhead, socketWindowBytes } from '../limits.js';

/** Bytes of messages of all channels that a replica may have on their way before messages are kept small. */
const plentyBytes = 96 * 1024 * 1024;

/** Size of a message from then on, and of what a socket may have unsent: this leaves memory for thousands of stalled receivers. */
const smallBytes = 64 * 1024;

/**
 * How large messages may be. A message stays in memory until its receiver has read it. So when receivers with long queues are
 * stalled, messages that are sent from then on are kept small.
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

  /** Size of one message to a callback or a poll. */
  get bodyBytesMax(): number {
    return this.isTight ? smallBytes : bodyBytesMax;
  }

  /** Size of one message to a socket. */
  get socketMessageBytesMax(): number {
    return this.isTight ? smallBytes : socketMessageBytesMax;
  }

  /** Bytes that a socket may have unsent before it gets more. */
  get socketBytesMax(): number {
    return this.isTight ? smallBytes : socketWindowBytes;
  }

  /** Bytes of messages that are read together for a socket, most of them before the socket has room for them. */
  get readAheadBytesMax(): number {
    return this.isTight ? 0 : socketReadAhead.bytesMax;
  }

  private get isTight(): boolean {
    return this.inFlight > plentyBytes;
  }
}
