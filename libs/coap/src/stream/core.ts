import { SharedCore } from '../state/shared-core.js';
import { STREAM_EVENTS, type StreamEvent } from './events.js';
import { DEFAULT_STREAM_LIMITS, MESSAGE_OVERHEAD_BYTES, type StreamLimits } from './limits.js';
import { type CoapStreamEndpointOptions } from './options.js';

/** What one connection has in memory. */
interface Buffered {
  /** Of a message that is not complete. */
  readonly incompleteBytes: number;
  /** Of messages that wait to be sent, with what each takes beside its bytes. */
  readonly waitingBytes: number;
  /** Ends the connection, whose peer does not complete its message. */
  abortIncomplete(): void;
  /** Ends the connection, whose peer does not read. */
  dropSlow(): void;
}

/** The state that all connections of one endpoint share. */
export class StreamCore extends SharedCore<StreamEvent, CoapStreamEndpointOptions, StreamLimits> {
  /** Running handlers of all connections. */
  readonly running = { requests: 0, notifications: 0 };
  /** Those of all sockets that are open, and the sums of their bytes. */
  readonly buffered = new Set<Buffered>();
  incompleteBytes = 0;
  waitingBytes = 0;

  constructor(options: CoapStreamEndpointOptions) {
    super(options, { ...DEFAULT_STREAM_LIMITS, ...options.limits }, STREAM_EVENTS);
  }

  /** The Max-Message-Size of our CSM: room for a whole body and its frame. */
  get messageBytesMax(): number {
    return this.limits.bodyBytesMax + MESSAGE_OVERHEAD_BYTES;
  }

  /** Ends the connections with most incomplete bytes, until the bytes of the others are within the limit. */
  limitIncompleteBytes(): void {
    while (this.incompleteBytes > this.limits.incompleteBytesMax) {
      const most = this.withMost('incompleteBytes');
      if (most === undefined) return;
      most.abortIncomplete();
    }
  }

  /** The same for the bytes that wait to be sent. */
  limitWaitingBytes(): void {
    while (this.waitingBytes > this.limits.waitingBytesMax) {
      const most = this.withMost('waitingBytes');
      if (most === undefined) return;
      most.dropSlow();
    }
  }

  /** Undefined when no connection has any. */
  private withMost(bytes: 'incompleteBytes' | 'waitingBytes'): Buffered | undefined {
    let most: Buffered | undefined;
    for (const one of this.buffered) if (one[bytes] > (most?.[bytes] ?? 0)) most = one;
    return most;
  }
}
