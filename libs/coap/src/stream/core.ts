import { SharedCore } from '../state/shared-core.js';
import { STREAM_EVENTS, type StreamEvent } from './events.js';
import { DEFAULT_STREAM_LIMITS, MESSAGE_OVERHEAD_BYTES, type StreamLimits } from './limits.js';
import { type CoapStreamEndpointOptions } from './options.js';

/** What waits to be sent over one connection. */
interface SendBuffer {
  /** With what each message takes beside its bytes. */
  readonly waitingBytes: number;
  /** Ends the connection, whose peer does not read. */
  dropSlow(): void;
}

/** The state that all connections of one endpoint share. */
export class StreamCore extends SharedCore<StreamEvent, CoapStreamEndpointOptions, StreamLimits> {
  /** Running handlers of all connections. */
  readonly running = { requests: 0, notifications: 0 };
  incompleteBytes = 0;
  /** Those of all sockets that are open. */
  readonly sendBuffers = new Set<SendBuffer>();
  waitingBytes = 0;

  constructor(options: CoapStreamEndpointOptions) {
    super(options, { ...DEFAULT_STREAM_LIMITS, ...options.limits }, STREAM_EVENTS);
  }

  /** The Max-Message-Size of our CSM: room for a whole body and its frame. */
  get messageBytesMax(): number {
    return this.limits.bodyBytesMax + MESSAGE_OVERHEAD_BYTES;
  }

  /** Ends the connections for which most bytes wait, until the bytes of the others are within the limit. */
  limitWaitingBytes(): void {
    while (this.waitingBytes > this.limits.waitingBytesMax) {
      let largest: SendBuffer | undefined;
      for (const one of this.sendBuffers) if (one.waitingBytes > (largest?.waitingBytes ?? 0)) largest = one;
      if (largest === undefined) return;
      largest.dropSlow();
    }
  }
}
