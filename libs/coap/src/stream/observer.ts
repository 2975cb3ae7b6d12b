import { received } from '../blockwise/body-download.js';
import { isSuccessCode } from '../codec/code.js';
import { readResponseOptions } from '../codec/response-options.js';
import { SZX_BERT } from '../codec/block-value.js';
import { type StreamMessage } from '../codec/stream-message.js';
import { UnusableResponse } from '../errors.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type CoapNotification, type NotificationHandler, type Observation } from '../messages/notification.js';
import { notificationOf } from '../observe/notification-of.js';
import { tokenKey } from '../codec/tokens.js';
import { type Conversation, type StreamObservation, type StreamResponse } from './conversation.js';
import { type StreamCore } from './core.js';
import { type StreamRequester } from './requester.js';

const NO_TOKEN = Buffer.alloc(0);

/** Everything that answers something of ours: responses, and the notifications of observations. */
export class StreamObserver {
  constructor(
    private readonly core: StreamCore,
    private readonly requester: StreamRequester,
  ) {}

  async observe(
    to: Conversation,
    { token: wanted, ...request }: OutgoingRequest & { token?: Buffer },
    handler: NotificationHandler,
  ): Promise<Observation<ReceivedResponse>> {
    const token = wanted ?? this.core.tokens.next();
    const observation: StreamObservation = { token, handler, request, tail: Promise.resolve() };
    let observing = false;
    // Before any notification can arrive: it may be the very next message.
    const onResponse = ({ message, options }: StreamResponse): void => {
      observing = isSuccessCode(message.code) && options.observe !== undefined;
      if (observing) to.observations.set(tokenKey(token), observation);
    };
    const response = await this.requester.request(to, request, { intent: 'observe', token, observe: 0, onResponse });
    return {
      response,
      token,
      observing,
      cancel: () => forget(to, observation),
      handOver: (next) => {
        observation.handler = next;
      },
    };
  }

  /** An observation that the peer makes by itself. */
  restore(to: Conversation, token: Buffer, handler: NotificationHandler, request: OutgoingRequest | undefined): void {
    const key = tokenKey(token);
    if (to.observations.has(key)) return;
    to.observations.set(key, { token, handler, request, tail: Promise.resolve() });
  }

  /** Ends it on the peer. Regardless of the outcome it is dropped here. */
  async cancel(to: Conversation, token: Buffer, request: OutgoingRequest): Promise<ReceivedResponse> {
    const observation = to.observations.get(tokenKey(token));
    try {
      return await this.requester.request(to, request, { intent: 'cancel', token, observe: 1 });
    } finally {
      if (observation !== undefined) forget(to, observation);
    }
  }

  /** A response message of the peer, of whatever it may be the answer. */
  receive(from: Conversation, message: StreamMessage): void {
    const key = tokenKey(message.token);
    const pending = from.pending.get(key);
    const options = readResponseOptions(message.options, SZX_BERT);
    if (typeof options === 'number') {
      this.core.count('response-rejected-option');
      from.observations.delete(key);
      pending?.finish(new UnusableResponse(`The response carries the unknown critical option ${options}`));
      return;
    }
    const response = { message, options };
    const notification = pending?.intent === 'cancel' && options.observe !== undefined;
    if (pending !== undefined && !notification) pending.finish(response);
    else this.notified(from, response);
  }

  private notified(from: Conversation, response: StreamResponse): void {
    const { token } = response.message;
    const known = from.observations.get(tokenKey(token));
    const hook = this.core.options.onNotification;
    if (known === undefined && hook === undefined) {
      this.core.count('response-unmatched');
      return;
    }
    const observation = known ?? this.unknown(from);
    from.begin('notifications');
    observation.tail = observation.tail.then(async () => {
      await this.deliver(from, observation, response);
      from.end('notifications');
    });
  }

  /** The application may know it, otherwise it is dropped. Those of a connection are handled one after the other. */
  private unknown(from: Conversation): StreamObservation {
    const handler: NotificationHandler = async (notification) => {
      const verdict = await this.core.options.onNotification?.(notification);
      if (verdict !== 'accepted') this.core.count('response-unmatched');
    };
    return (from.strangers ??= { token: NO_TOKEN, handler, request: undefined, tail: Promise.resolve() });
  }

  /** Never rejects. There is no second copy of a notification over TCP, so its handler gets more than one chance. */
  private async deliver(from: Conversation, observation: StreamObservation, response: StreamResponse): Promise<void> {
    const { limits } = this.core;
    let problem: unknown;
    for (let attempt = 0; attempt <= limits.notificationRetriesMax && from.gone === undefined; attempt += 1) {
      try {
        if (attempt > 0) await this.wait(limits.notificationRetryMs * 2 ** (attempt - 1));
        await this.handle(from, observation, response);
        this.core.count('notification-accepted');
        return;
      } catch (error) {
        problem = error;
      }
    }
    this.core.count('notification-rejected');
    if (problem !== undefined) this.core.report(problem);
    // The peer reconnects, is observed again, and sends its value again.
    from.connection.abort('A notification could not be taken');
  }

  private async handle(from: Conversation, observation: StreamObservation, response: StreamResponse): Promise<void> {
    const { message, options } = response;
    const { block2 } = options;
    const incomplete = block2 !== undefined && (block2 === 'reserved-size' || block2.more);
    const partial = incomplete && observation.request === undefined;
    const ended = partial || !isSuccessCode(message.code) || options.observe === undefined;
    const body =
      incomplete && observation.request !== undefined
        ? await this.complete(from, observation.request, response)
        : received(response, message.payload);
    const about = { message: { ...message, type: 'NON' as const, messageId: 0 }, ended, partial };
    const notification: CoapNotification = notificationOf(
      from.connection.peer,
      message.token,
      tokenKey(message.token),
      body,
      about,
    );
    await observation.handler(notification);
    if (ended) forget(from, observation);
  }

  /** It does not count meanwhile: a peer that is not read could not send the rest. */
  private async complete(
    from: Conversation,
    request: OutgoingRequest,
    first: StreamResponse,
  ): Promise<ReceivedResponse> {
    from.end('notifications');
    try {
      return await this.requester.complete(from, request, first);
    } finally {
      from.begin('notifications');
    }
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.core.timers.schedule(ms, resolve));
  }
}

/** A later observation with the same token is left alone. */
function forget(conversation: Conversation, observation: StreamObservation): void {
  const key = tokenKey(observation.token);
  if (conversation.observations.get(key) === observation) conversation.observations.delete(key);
}
