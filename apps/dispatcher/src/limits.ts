const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Spec §8, queue size: 50 MB per channel, the oldest events go first. */
export const queueBytesMax = 50_000_000;

/**
 * What an event costs beside its bytes (spec §8: "overhead per stored notification exists"): its four length bytes
 * and its share of the structures around it. 160,000 events of 100 bytes cost 26 MB.
 */
export const eventOverheadBytes = 64;

/** Spec §8, event lifetime. */
export const eventLifeMs = 24 * hour;

/** Spec §8, channel idle timeout: without incoming data. */
export const idleMaxMs = 48 * hour;

/** Spec §8, delivery fail timeout of a callback. */
export const failedDeliveryMaxMs = 24 * hour;

/** A callback that is stopped, because its key was reset or may not have a channel, is removed like one that fails. */
export const stoppedMaxMs = 24 * hour;

/** Spec §8, WebSocket inactivity: an idle socket is closed; a channel without a socket is removed. */
export const socketIdleMaxMs = 24 * hour;
export const withoutSocketMaxMs = 24 * hour;

/** A pull channel that is not polled is removed. */
export const withoutPollMaxMs = 10 * minute;

/** Spec §8, batch size. */
export const batchEventsDefault = 10_000;
export const batchEventsMax = 20_000;

/** Maximum size of one message, so that a single channel cannot block the process. A single event always fits. */
export const bodyBytesMax = 4 * 1024 * 1024;

/** Spec §8, callback request timeout: connect, TLS, request and response together. */
export const callbackTimeoutMs = 20 * second;

/** How much of a callback's answer is read before the connection is dropped. */
export const callbackResponseBytesMax = 64 * 1024;

/** The URL with the names and values of the headers, in characters. */
export const callbackCharactersMax = 400;
export const callbackHeadersMax = 32;

/** Verifications of callback URLs under way at once, in one replica. */
export const verificationsMax = 256;
export const verificationsOfAccountMax = 32;

/** Requests of one key, in one replica, that wait until another one has changed its channel. */
export const changesWaitingMax = 5;

/** For the OpenAPI document, of operations that wait for their turn in this way. */
export const tooManyChanges = {
  status: 429,
  description: 'Other changes of the channel of the key are pending',
} as const;

/** Signing secrets of one channel: the one in use, the next one, and one in reserve. */
export const signingSecretsMax = 3;

/** Spec §8, retry count by account type: a free account gets one retry, then the next batch is sent. */
export const freeTierRetries = 1;

/** Spec §4.5 rule 4 and §8: pings of four bytes, answered within a few seconds. */
export const pingPeriodMs = 30 * second;
export const pingTimeoutMs = 10 * second;

/**
 * A ping is answered behind what was sent before it, and the buffers on the way to the client hold megabytes. Its answer may
 * take longer by as much time as a client needs that reads so many bytes in a second.
 */
export const socketBytesPerSecondMin = 64 * 1024;

/** A client is given up when a ping has no answer for this long, whatever was sent before it. */
export const socketStallMaxMs = minute;

/**
 * Batches on their way to a socket whose arrival is not proven yet, events in them, bytes after which no further batch is sent,
 * and the size of a message. A client that reads `socketBytesPerSecondMin` has so many bytes, and the message that exceeds them,
 * within `socketStallMaxMs`. A larger message would be cut off again and again.
 */
export const socketWindowBatches = 64;
export const socketWindowEvents = 80_000;
export const socketWindowBytes = 2 * 1024 * 1024;
export const socketMessageBytesMax = 1_000_000;

/**
 * Batches that are read together for a socket have at most this many bytes in all. They are sent within this time after Redis was
 * asked, which is less than the 5 s after which the channels of a replica may be claimed by another one. Where categories
 * alternate, each batch has few events, and one round trip to Redis for each would be slower than the events arrive.
 */
export const socketReadAhead = { bytesMax: 64 * 1024, ageMaxMs: 4_000 } as const;

/** Clients only echo pings. */
export const socketPayloadBytesMax = 1_024;

/** From a request for a WebSocket to its answer. */
export const handshakeMaxMs = 5 * second;

/** A key that the gateway has just made may be used before its announcement is here. */
export const unknownKeyWaitMs = 2 * second;

/** The same, for the new secret of a key that was just reset, and for a key that was just enabled or put into a group. */
export const resetKeyWaitMs = second / 2;

/** A long poll is answered with 204 after this time. Clients give up after 60 s. */
export const pollWaitMs = 30 * second;

/** A client that reads nothing of its response for this long is gone: the events stay, and the key may poll again. */
export const answerStallMaxMs = 20 * second;

/** How often the events that limits removed from queues are announced. */
export const dropReportPeriodMs = 30 * second;

/** How long the announced losses of a channel that has ended are remembered. */
export const dropReportsKeptMs = 24 * hour;

/** An event that was queued before its channel existed is not for it; the slack covers clocks that differ. */
export const beforeChannelSlackMs = 10 * second;
