import { SharedCore } from '../state/shared-core.js';
import { STREAM_EVENTS, type StreamEvent } from './events.js';
import { DEFAULT_STREAM_LIMITS, MESSAGE_OVERHEAD_BYTES, type StreamLimits } from './limits.js';
import { type CoapStreamEndpointOptions } from './options.js';

/** The state that all connections of one endpoint share. */
export class StreamCore extends SharedCore<StreamEvent, CoapStreamEndpointOptions, StreamLimits> {
  /** Running handlers of all connections. */
  readonly running = { requests: 0, notifications: 0 };
  incompleteBytes = 0;

  constructor(options: CoapStreamEndpointOptions) {
    super(options, { ...DEFAULT_STREAM_LIMITS, ...options.limits }, STREAM_EVENTS);
  }

  /** The Max-Message-Size of our CSM: room for a whole body and its frame. */
  get messageBytesMax(): number {
    return this.limits.bodyBytesMax + MESSAGE_OVERHEAD_BYTES;
  }
}
