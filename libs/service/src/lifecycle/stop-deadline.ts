import { Inject, Injectable } from '@nestjs/common';
import { defaultStopTimeoutMs } from '../config/common.js';
import { LOGGER } from '../tokens.js';
import type { Logger } from '../telemetry/logger.js';
import { endsWithin } from '../ends-within.js';

/**
 * The one deadline of a stop. Shutdown hooks that wait for Kafka, PostgreSQL or Redis run as steps: a step may take half
 * of the time that is left, so that however many of them hang, each later one has its share. Nothing is lost by leaving
 * a step: what has no effect yet has not been committed.
 */
@Injectable()
export class StopDeadline {
  private endMs: number | undefined;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  begin(timeoutMs: number): void {
    this.endMs ??= performance.now() + timeoutMs;
  }

  /** Resolves when the work has ended, failed, or used up its share of the time. Failures and time-outs are logged. */
  async step(name: string, work: () => Promise<void> | void): Promise<void> {
    this.begin(defaultStopTimeoutMs);
    const shareMs = Math.max(0, ((this.endMs as number) - performance.now()) / 2);
    try {
      if (await endsWithin(shareMs, (async () => work())())) return;
      this.logger.error({ step: name, waitedMs: Math.round(shareMs) }, 'stop: a step did not end in time');
    } catch (err) {
      this.logger.error({ err, step: name }, 'stop: a step failed');
    }
  }
}
