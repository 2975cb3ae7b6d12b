import { SZX_BERT } from '../codec/block-value.js';
import { readResponseOptions } from '../codec/response-options.js';
import { type StreamMessage } from '../codec/stream-message.js';
import { tokenKey } from '../codec/tokens.js';
import { UnusableResponse } from '../errors.js';
import { type Requester } from '../exchange/requester.js';
import { type NotificationHandler } from '../messages/notification.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { notificationPropertiesOf } from '../observe/notification-of.js';
import { repeatedly } from '../observe/notification-retry.js';
import { Observer } from '../observe/observer.js';
import { type Conversation, StreamObservation, type StreamResponse } from './conversation.js';
import { type StreamCore } from './core.js';

/** Receives responses to our requests, and notifications of observations. */
export class StreamObserver extends Observer<Conversation, StreamObservation, StreamResponse> {
  constructor(
    protected override readonly core: StreamCore,
    requester: Requester<Conversation, StreamResponse>,
    private readonly conversations: ReadonlyMap<Peer['key'], Conversation>,
  ) {
    super(core, requester);
  }

  /** A response message of the peer, whatever it answers. */
  receive(from: Conversation, message: StreamMessage): void {
    const pending = from.pendingByToken(message.token);
    const options = readResponseOptions(message.options, SZX_BERT);
    if (typeof options === 'number') {
      // Over TCP, there is no Reset that would end an observation: the peer continues it.
      this.core.count('response-rejected-option');
      pending?.finish(new UnusableResponse(`The response carries the unknown critical option ${options}`));
      return;
    }
    const response = { message, options };
    if (pending?.expects(options.observe)) pending.finish(response);
    else this.notified(from, response);
  }

  private notified(from: Conversation, response: StreamResponse): void {
    const { token } = response.message;
    const known = from.observations?.get(tokenKey(token));
    const hook = this.core.options.onNotification;
    if (known === undefined && hook === undefined) {
      this.core.count('response-unmatched');
      return;
    }
    const observation = known ?? this.entryForUnknownTokens(from);
    from.beginExchange('notifications');
    observation.tail = observation.tail.then(async () => {
      await this.deliver(from, observation, response);
      from.endExchange('notifications');
    });
  }

  /** The application may know the response, otherwise it is dropped. Those of one connection are handled one after the other. */
  private entryForUnknownTokens(from: Conversation): StreamObservation {
    const handler: NotificationHandler = async (notification) => {
      const verdict = await this.core.options.onNotification?.(notification);
      if (verdict !== 'accepted') this.core.count('response-unmatched');
    };
    return (from.unknownTokens ??= this.entryOf('', handler, undefined));
  }

  /** Never rejects. Over TCP, there is no second copy of a notification, so its handler gets more than one attempt. */
  private async deliver(from: Conversation, observation: StreamObservation, response: StreamResponse): Promise<void> {
    let problem: unknown;
    const attempt = async (): Promise<boolean> => {
      if (from.gone !== undefined) return false;
      try {
        await this.handle(from, observation, response);
        return true;
      } catch (error) {
        problem = error;
        return false;
      }
    };
    if (await repeatedly(this.core, attempt, () => from.gone !== undefined)) {
      this.core.count('notification-accepted');
      return;
    }
    this.core.count('notification-rejected');
    if (problem !== undefined) this.core.report(problem);
    // The peer reconnects, its observation is made again, and it sends its value again.
    from.connection.abort('A notification could not be taken');
  }

  private async handle(from: Conversation, observation: StreamObservation, response: StreamResponse): Promise<void> {
    const { peer } = from.connection;
    const properties = notificationPropertiesOf(observation, response, false);
    await this.callHandler(peer, from, observation, response, properties);
    if (properties.ended) this.forget(peer, observation);
  }

  /**
   * While the other blocks are fetched, the notification does not count as running: the limits could otherwise stop the
   * reading from the peer, which then could not send these blocks.
   */
  protected override async complete(
    from: Conversation,
    request: OutgoingRequest,
    first: StreamResponse,
  ): Promise<ReceivedResponse> {
    from.endExchange('notifications');
    try {
      return await super.complete(from, request, first);
    } finally {
      from.beginExchange('notifications');
    }
  }

  protected entryOf(
    key: string,
    handler: NotificationHandler,
    request: OutgoingRequest | undefined,
  ): StreamObservation {
    return new StreamObservation(key, handler, request);
  }

  protected stateOf(peer: Peer): Conversation | undefined {
    return this.conversations.get(peer.key);
  }

  /** Undefined when the connection is over: then its observations are over, too. */
  protected keepState(peer: Peer): Conversation | undefined {
    return this.stateOf(peer);
  }
}
