import type { BodySource } from '@lanyard/coap';
import { AccountModels, chooseInsteadOfTlv, contentFormat, currentFormat, type ModelRegistry } from '@lanyard/lwm2m';
import { Inject, Injectable } from '@nestjs/common';
import { withoutRoot } from '../sessions/alternate-root.js';
import { LastSeen } from '../sessions/last-seen.js';
import type { Observation, Target } from '../sessions/observations.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import {
  type DeviceAnswer,
  type DeviceRequest,
  NoAnswer,
  NotSent,
  type SentMessage,
  UnusableAnswer,
} from '../transport/device-link.js';
import { DeviceLinks } from '../transport/device-links.js';
import { mediaTypeOf } from './formats.js';
import { observeRequest, type OperationRequest, pushRequest, requestFor } from './requests.js';

/** A body that is read while it is sent. */
export interface PushedBody {
  source: BodySource;
  onProgress: (bytes: number) => void;
  /** Ends the transfer with RequestAborted. */
  signal: AbortSignal;
}

export type OnSent = (message: SentMessage) => void;

/** A device's answer, with a media type in place of a Content-Format, and a payload without the alternate root. */
export interface DeviceReply {
  /** `2.05` */
  code: string;
  payload: Buffer;
  contentType: string;
  maxAgeSeconds?: number;
  location?: readonly string[];
}

/** Refusals of a format: 4.06, 4.15, and 4.02 from devices that do not know the option. */
const refusals = new Set(['4.02', '4.06', '4.15']);

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Values of several paths without a Content-Format are in the format that was requested. */
const formatted = (answer: DeviceAnswer, { accept }: DeviceRequest): DeviceAnswer => ({
  ...answer,
  contentFormat: answer.contentFormat ?? accept,
});

const replyOf = ({ data }: Session, path: string, answer: DeviceAnswer): DeviceReply => {
  const { contentFormat, ...reply } = withoutRoot(answer, data.rootPath);
  return { ...reply, contentType: mediaTypeOf(contentFormat, path) };
};

/**
 * Sends requests to the device of a session. Throws the errors of device-link.ts, among them RequestAborted when the
 * session ends first. The transport keeps the order and the limit of one request at a time.
 */
@Injectable()
export class DownlinkClient {
  constructor(
    private readonly links: DeviceLinks,
    private readonly lastSeen: LastSeen,
    private readonly models: AccountModels,
    @Inject(Sessions) private readonly sessions: Pick<Sessions, 'isListening'>,
  ) {}

  /** `onSent` is called for each message that leaves. */
  async request(session: Session, request: OperationRequest, onSent?: OnSent): Promise<DeviceReply> {
    const asked = requestFor(session.data, request, this.modelsOf(session));
    const isDefaultFormat = request.operation === 'read' && request.accept === null;
    const answer = await this.tryFormats(session, { asked, path: request.path, isDefaultFormat }, (attempted) =>
      this.recordAnswer(session, (signal) =>
        this.links.to(session.address).request(session.address, this.whileAwake(session, attempted, onSent), signal),
      ),
    );
    return replyOf(session, request.path, request.operation === 'read-composite' ? formatted(answer, asked) : answer);
  }

  /** Reads a path in the format that suits it. */
  read(session: Session, path: string, onSent?: OnSent): Promise<DeviceReply> {
    const request = { operation: 'read', path, query: [], accept: null, contentType: null, payload: null } as const;
    return this.request(session, request, onSent);
  }

  /** Writes a package block by block, read from its source instead of a payload. */
  async push(session: Session, path: string, body: PushedBody): Promise<DeviceReply> {
    const { source, onProgress, signal } = body;
    const request = this.whileAwake(session, { ...pushRequest(session.data, path), source, onProgress });
    const answer = await this.recordAnswer(session, (ending) =>
      this.links.to(session.address).request(session.address, request, AbortSignal.any([ending, signal])),
    );
    return replyOf(session, path, answer);
  }

  async observe(
    session: Session,
    target: Target,
    onSent?: OnSent,
  ): Promise<{ reply: DeviceReply; token?: string; accept?: number | null }> {
    const { path } = target;
    const asked = observeRequest(session.data, target, this.modelsOf(session));
    const isDefaultFormat = !target.together && target.accept === undefined;
    let { accept }: { accept?: number | null } = asked;
    const { answer, token } = await this.tryFormats(session, { asked, path, isDefaultFormat }, async (request) => {
      accept = isDefaultFormat ? (request.accept ?? null) : request.accept;
      const { answer, token } = await this.recordAnswer(session, (signal) =>
        this.links.to(session.address).observe(session.address, this.whileAwake(session, request, onSent), signal),
      );
      return { ...answer, answer, token };
    });
    const reply = target.together ? replyOf(session, '/', formatted(answer, asked)) : replyOf(session, path, answer);
    return { reply, token, accept };
  }

  /**
   * A device may refuse the format that this service requests by default. It is then asked for a format that it names in its
   * registration, or without Accept if it names none; later requests for the path begin with that.
   * `isDefaultFormat`: the caller named no format.
   */
  private async tryFormats<A extends { code: string }>(
    session: Session,
    { asked, path, isDefaultFormat }: { asked: DeviceRequest; path: string; isDefaultFormat: boolean },
    attempt: (request: DeviceRequest) => Promise<A>,
  ): Promise<A> {
    if (!isDefaultFormat || asked.accept === undefined) return attempt(asked);
    const { accept: refused, ...plain } = asked;
    const instead =
      currentFormat(refused) === contentFormat.tlv ? chooseInsteadOfTlv(session.data.contentFormats) : undefined;
    const fallback = instead === undefined ? plain : { ...plain, accept: instead };
    if (session.refusedFormats.has(path)) return attempt(fallback);
    const answer = await attempt(asked);
    if (!refusals.has(answer.code)) return answer;
    session.refusedFormats.add(path);
    return attempt(fallback);
  }

  async cancel(session: Session, observation: Observation): Promise<void> {
    const request = this.whileAwake(session, this.requestOf(session, observation));
    await session.whileOpen((signal) =>
      this.links.to(session.address).cancel(session.address, request, observation.token, signal),
    );
  }

  /**
   * A request may wait for its turn behind others to the same device, or to the same gateway, until a queue-mode device
   * sleeps. It is not sent then.
   */
  private whileAwake(session: Session, request: DeviceRequest, onSent?: OnSent): DeviceRequest {
    return {
      ...request,
      ...(session.data.queueMode && { beforeSending: () => this.assertAwake(session) }),
      ...(onSent && { onSent }),
    };
  }

  private async assertAwake(session: Session): Promise<void> {
    // If the previous request was not answered, its caller says in this turn that the device is asleep.
    await nextTurn();
    if (!this.sessions.isListening(session)) throw new NotSent('the device has fallen asleep');
  }

  /**
   * Records that the device answered. A queue-mode device that does not answer is asleep, and nothing more is sent to
   * it until its next message. For a device behind a gateway, the gateway counts as asleep.
   */
  private async recordAnswer<T>(session: Session, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      const answer = await session.whileOpen(work);
      this.lastSeen.recordMessage(session);
      return answer;
    } catch (error) {
      if (error instanceof UnusableAnswer) this.lastSeen.recordMessage(session);
      else if (error instanceof NoAnswer && session.data.queueMode) (session.gateway ?? session).silent = true;
      throw error;
    }
  }

  private modelsOf({ accountId, data }: Session): ModelRegistry {
    return this.models.registryOf(accountId, data.objectVersions);
  }

  /** The request that created the observation: further blocks and the cancellation repeat it. */
  requestOf(session: Session, observation: Observation): DeviceRequest {
    const accept = observation.auto ? null : observation.accept;
    return observeRequest(session.data, { ...observation, accept }, this.modelsOf(session));
  }
}
