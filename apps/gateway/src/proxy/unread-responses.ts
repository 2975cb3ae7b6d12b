import type { ServerResponse } from 'node:http';
import { KeyedCounts, RateLimited } from '@lanyard/service';
import { Injectable } from '@nestjs/common';

/** Bytes of responses that one caller may have on their way: the gateway or a service has them in memory until they are read. */
export const unreadBytesMax = 32 * 1_048_576;

/** Smaller responses are not counted: the number of connections bounds them. */
const countedBytesMin = 16_384;

/** A client that reads nothing for this long is disconnected. Longer than a service may be silent within a response. */
export const stalledMs = 75_000;

const retryAfterSeconds = 1;

/** Responses that their callers have not read yet. A caller is an account, or an address without a key. */
@Injectable()
export class UnreadResponses {
  private readonly bytes = new KeyedCounts();

  /** Why the caller gets no further response, or none of this size; one response is always admitted. */
  refusal(caller: string, bytes = 0): RateLimited | undefined {
    const unread = this.bytes.get(caller);
    return unread > 0 && unread + bytes > unreadBytesMax ? new RateLimited(retryAfterSeconds) : undefined;
  }

  /** Counts a response until the caller has read it, or has left. */
  count(caller: string, bytes: number, response: ServerResponse): void {
    if (bytes < countedBytesMin || response.destroyed) return;
    this.bytes.increment(caller, bytes);
    response.setTimeout(stalledMs);
    response.once('close', () => this.bytes.decrement(caller, bytes));
  }
}
