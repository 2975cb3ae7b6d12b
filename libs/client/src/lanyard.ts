import { Calls, type CallsOptions } from './calls.js';
import { Channel, type ChannelOptions } from './channel.js';
import type { LanyardEvent } from './events.js';
import type { CallOptions } from './operations.js';
import { poll, type Polled, type PollOptions, pulledEvents } from './pull.js';

export interface LanyardOptions extends CallsOptions {
  /** API key, in full. */
  key: string;
}

/** One API key's view of a Lanyard installation. */
export class Lanyard extends Calls {
  constructor({ key, ...options }: LanyardOptions) {
    super(options, key);
  }

  /** Registers the WebSocket channel of the key and keeps it connected. */
  listen(options: ChannelOptions = {}): Promise<Channel> {
    return Channel.open(this.http, options);
  }

  /** One poll for the messages after `after`, which the caller confirms with the next poll. Throws RequestFailed, NoAnswer. */
  poll(options: PollOptions = {}): Promise<Polled> {
    return poll(this.http, options);
  }

  /** Events by long polling, where WebSockets cannot pass. */
  pull(options: Pick<CallOptions, 'signal'> = {}): AsyncGenerator<LanyardEvent> {
    return pulledEvents(this.http, options.signal);
  }
}
