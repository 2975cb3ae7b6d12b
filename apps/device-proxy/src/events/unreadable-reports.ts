import { DeviceEvents } from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import { type Clock, CLOCK, formatTimestamp, type Logger, LOGGER, Metrics, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { Session } from '../sessions/session.js';
import { Throttle } from './throttle.js';
import { withoutExcerpts } from './without-excerpts.js';

/** At most one entry per device in this time. */
const periodMs = 60_000;
/** Bytes of the payload that an entry contains. */
const shownBytesMax = 1_024;

/** An event code of this service: the specification has none for such reports. */
const notReadable = 'SYS_401';

interface UnreadableReport {
  payload: Buffer;
  contentType: string;
  why: string;
}

/**
 * Composite reports that cannot be parsed: their paths are unknown, so they yield no values. A metric counts each; the log line
 * and the entry in the device's event log, which contains what the device sent, are throttled.
 */
@Injectable()
export class UnreadableReports {
  private readonly throttle: Throttle;
  private readonly total;

  constructor(
    private readonly producer: KafkaProducer,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.throttle = new Throttle(clock, periodMs);
    this.total = metrics.counter({
      name: 'lanyard_device_proxy_unreadable_reports_total',
      help: 'Notifications of several paths that could not be read',
    });
  }

  /** Resolves when Kafka has the entry; after a rejection the device sends its report again. */
  async report({ deviceId, accountId }: Session, { payload, contentType, why }: UnreadableReport): Promise<void> {
    this.total.inc();
    if (!this.throttle.isDue(deviceId)) return;
    const shown = { deviceId, contentType, why: withoutExcerpts(why) };
    this.logger.warn(shown, 'values of several paths not recorded: they cannot be read');
    const nowMs = this.clock.now();
    try {
      await this.producer.send(DeviceEvents, {
        eventId: newId(nowMs),
        deviceId,
        accountId,
        eventCode: notReadable,
        description: 'Values that the device reported together were not recorded: they cannot be read',
        data: {
          reason: why,
          content_type: contentType,
          bytes: String(payload.length),
          payload: payload.subarray(0, shownBytesMax).toString('base64'),
        },
        occurredAt: formatTimestamp(nowMs),
      });
    } catch (error) {
      this.throttle.undo(deviceId);
      throw error;
    }
  }
}
