import { DeviceCommandResults, DeviceSessions, DeviceValues } from '@lanyard/contracts';
import { type Batch, OnBatch } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { LinkLost } from '../queue/redis-link.js';
import { EventTraces } from '../tracing/event-traces.js';
import { ArrivalTimes } from './arrival-times.js';
import { Intake } from './intake.js';
import { type IntakeBatch, intakeBatch } from './intake-event.js';

/** The topics whose facts end up on channels. Items are cut out of the messages' bytes, without parsing. */
@Controller()
export class FactsConsumer {
  constructor(
    private readonly intake: Intake,
    private readonly arrivalTimes: ArrivalTimes,
    private readonly traces: EventTraces,
  ) {}

  @OnBatch(DeviceSessions, { raw: true })
  async onSessions(batch: Batch<unknown>): Promise<void> {
    await this.append(batch, intakeBatch(batch, this.arrivalTimes));
  }

  @OnBatch(DeviceValues, { raw: true })
  async onValues(batch: Batch<unknown>): Promise<void> {
    const events = intakeBatch(batch, this.arrivalTimes);
    await this.traces.appending(batch, () => this.append(batch, events));
  }

  @OnBatch(DeviceCommandResults, { raw: true })
  async onResults(batch: Batch<unknown>): Promise<void> {
    const events = intakeBatch(batch, this.arrivalTimes);
    await this.traces.appending(batch, () => this.append(batch, events));
  }

  /** A batch from before a recovery is stale: it was fetched from positions that may not hold any more. */
  private async append({ isStale }: Batch<unknown>, events: IntakeBatch): Promise<void> {
    if (isStale()) throw new LinkLost();
    await this.intake.add(events);
  }
}
