import { DeviceValues, type ResourceValueArrived } from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import {
  AccountModels,
  contentFormatOf,
  Malformed,
  type ObjectVersions,
  parsePath,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import { type Clock, CLOCK, formatTimestamp, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { readSend, type SentValue } from '../downlink/formats.js';
import { UnreadableReports } from '../events/unreadable-reports.js';
import { withoutExcerpts } from '../events/without-excerpts.js';
import { FirmwareReports } from '../firmware/firmware-reports.js';
import { mayContainFirmwareStatus } from '../firmware/results.js';
import type { AnswerWithValue } from '../sessions/pending-subscriber.js';
import type { Session } from '../sessions/session.js';
import { Receivers } from './receivers.js';
import { byTime, inOrderOfTime, mayHaveTimes } from './times.js';

export interface ArrivedValue {
  path: string;
  payload: Buffer;
  contentType: string;
  maxAgeSeconds?: number;
  cause: ResourceValueArrived['cause'];
  /** The keys whose channels receive the value. */
  audience: readonly string[];
  /** When the device measured the value, if reported; otherwise the time of arrival. */
  measuredAtMs?: number;
  traceParent?: string;
  /** The answer of the subscription, if this is its first value. */
  answer?: AnswerWithValue | undefined;
  /** If present, facts are collected here for the outbox and not sent. */
  facts?: ResourceValueArrived[] | undefined;
}

/** An answer or a notification that names its paths itself. */
export type Answer = Pick<ArrivedValue, 'payload' | 'contentType' | 'maxAgeSeconds'>;

/** RFC 7252 §5.10.5: how long a value counts as fresh when the device does not say. */
const defaultMaxAgeSeconds = 60;

/** The version of the object that the path belongs to; undefined if the device does not name it. */
const versionsIn = (path: string, versions: ObjectVersions): ObjectVersions | undefined => {
  const { object } = parsePath(path);
  const version = versions[object];
  return version === undefined ? undefined : { [object]: version };
};

/** Announces values that came from devices; resolves when Kafka has stored the fact. */
@Injectable()
export class Values {
  constructor(
    private readonly producer: KafkaProducer,
    private readonly firmware: FirmwareReports,
    private readonly models: AccountModels,
    private readonly unreadable: UnreadableReports,
    private readonly receivers: Receivers,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Splits a notification of a composite observation: each value is reported for its own path, to the key that has the
   * observation. `id`: that of the command that requested it.
   */
  reportComposite(
    session: Session,
    id: string,
    answer: Answer,
    about: Pick<ArrivedValue, 'traceParent' | 'answer'> = {},
  ): Promise<void> {
    return this.reportEach(session, answer, {
      ...about,
      cause: 'notify',
      audienceOf: (path) => session.audience.compositeSubscribers(id, path),
    });
  }

  /** Reports the values in an answer that names its paths itself, each for its own path. */
  async reportEach(
    session: Session,
    answer: Answer,
    about: Pick<ArrivedValue, 'cause' | 'traceParent' | 'answer' | 'facts'> & {
      audienceOf: (path: string) => readonly string[];
    },
  ): Promise<void> {
    const { cause, audienceOf, traceParent, facts } = about;
    const values = this.valuesIn(session, answer);
    if (typeof values === 'string') {
      // The caller gets a requested value in the answer anyway; a value that the device reports unasked would be lost.
      if (cause === 'notify') await this.unreadable.report(session, { ...answer, why: values });
      return;
    }
    await this.reportRecords(session, values, (path) => ({
      cause,
      maxAgeSeconds: answer.maxAgeSeconds,
      audience: audienceOf(path),
      traceParent,
      answer: about.answer,
      facts,
    }));
  }

  /** Reports the records of a pack, each for its own path, in the order of their times. */
  async reportRecords(
    session: Session,
    records: readonly SentValue[],
    about: (
      path: string,
    ) => Pick<ArrivedValue, 'cause' | 'maxAgeSeconds' | 'audience' | 'traceParent' | 'answer' | 'facts'>,
  ): Promise<void> {
    const ordered = inOrderOfTime(records, this.clock.now());
    await this.reportInOrder(
      session,
      ordered.map(({ path, payload, contentType, measuredAtMs }) => ({
        path,
        payload,
        contentType,
        measuredAtMs,
        ...about(path),
      })),
    );
  }

  /** The values, or why the answer cannot be parsed. */
  private valuesIn({ accountId, deviceId, data }: Session, { payload, contentType }: Answer): SentValue[] | string {
    try {
      const models = this.models.registryOf(accountId, data.objectVersions);
      return readSend(contentFormatOf(contentType), payload, models, this.clock.now());
    } catch (error) {
      if (!(error instanceof Malformed || error instanceof UnsupportedFormat)) throw error;
      const why = withoutExcerpts(error.message);
      this.logger.info({ deviceId, why }, 'values of a composite answer not recorded: it cannot be read');
      return error.message;
    }
  }

  /** Reports what arrived for one path. A payload with values of several times is split into one value per time. */
  report(session: Session, value: ArrivedValue): Promise<void> {
    if (mayHaveTimes(value.contentType)) return this.reportPack(session, value);
    // Assigned before the first await, so that the numbers follow the order of arrival.
    const sequence = session.nextSequence();
    const observedAt = formatTimestamp(this.clock.now());
    if (!mayContainFirmwareStatus(value.path)) return this.send(session, value, sequence, observedAt);
    return this.recordThenSend(session, value, sequence, observedAt);
  }

  /** Splits a payload in a format that carries times into one value per time. */
  private reportPack(session: Session, value: ArrivedValue): Promise<void> {
    const { path, payload, contentType } = value;
    const { accountId, data } = session;
    const models = this.models.registryOf(accountId, data.objectVersions);
    const moments = byTime(path, contentType, payload, models, this.clock.now());
    return this.reportInOrder(
      session,
      moments.map((moment) => ({ ...value, ...moment })),
    );
  }

  /**
   * Sends the values concurrently, with sequence numbers in the order of the list. Firmware results are recorded in
   * this order too. Only the first value carries the answer of the subscription.
   */
  private async reportInOrder(session: Session, values: readonly ArrivedValue[]): Promise<void> {
    const observedAt = formatTimestamp(this.clock.now());
    let recorded: Promise<void> = Promise.resolve();
    await Promise.all(
      values.map((each, n) => {
        const value = n === 0 ? each : { ...each, answer: undefined };
        const sequence = session.nextSequence();
        if (!mayContainFirmwareStatus(value.path)) return this.send(session, value, sequence, observedAt);
        recorded = recorded.then(() => this.recordThenSend(session, value, sequence, observedAt));
        return recorded;
      }),
    );
  }

  /** Records the result of a firmware update that the value may contain, and then sends the value. */
  private recordThenSend(session: Session, value: ArrivedValue, sequence: number, observedAt: string): Promise<void> {
    return this.firmware.recordValue(session, value).then(() => this.send(session, value, sequence, observedAt));
  }

  private async send(session: Session, value: ArrivedValue, sequence: number, observedAt: string): Promise<void> {
    const { answer, traceParent, path, payload, contentType, maxAgeSeconds = defaultMaxAgeSeconds } = value;
    if (value.cause === 'notify' || value.cause === 'auto-observation')
      session.notified.keep(path, payload, contentType, maxAgeSeconds, this.clock.now());
    const fact = this.factOf(session, value, sequence, observedAt);
    if (value.facts) return void value.facts.push(fact);
    await this.producer.send(DeviceValues, fact, traceParent === undefined ? undefined : { traceParent });
    if (answer) answer.isSent = true;
  }

  private factOf(session: Session, value: ArrivedValue, sequence: number, observedAt: string): ResourceValueArrived {
    const { deviceId, accountId, data, epoch } = session;
    const { answer, measuredAtMs, path, payload, contentType, cause, audience } = value;
    const { maxAgeSeconds = defaultMaxAgeSeconds } = value;
    return {
      item: { ep: deviceId, path, ct: contentType, payload: payload.toString('base64'), 'max-age': maxAgeSeconds },
      cause,
      deviceId,
      accountId,
      endpointName: data.endpointName,
      epoch,
      sequence,
      observedAt,
      measuredAt: measuredAtMs === undefined ? undefined : formatTimestamp(measuredAtMs),
      objectVersions: data.objectVersions && versionsIn(path, data.objectVersions),
      audience: this.receivers.among(audience) as string[],
      ...(answer && { answer: { uid: answer.uid, keyId: answer.keyId, item: answer.item } }),
    };
  }
}
