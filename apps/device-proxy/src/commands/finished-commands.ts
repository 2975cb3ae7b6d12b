import { type Logger, LOGGER, Metrics } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { WakeUps } from '../sessions/wake-ups.js';
import type { Command } from './command.entity.js';
import type { Outcome } from './outcome.js';

/** Counts ended commands, and tells the replica that accepted a command, because its caller may wait for the result. */
@Injectable()
export class FinishedCommands {
  private readonly total;

  constructor(
    private readonly wakeUps: WakeUps,
    metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.total = metrics.counter({
      name: 'lanyard_device_proxy_commands_finished_total',
      help: 'Commands that ended, by where they came from and how they ended',
      labelNames: ['kind', 'outcome'],
    });
  }

  announceResult({ id: commandId, kind, acceptedBy, asyncId }: Command, { outcome }: Outcome): void {
    this.total.inc({ kind, outcome });
    this.wakeUps
      .send(acceptedBy, { about: 'finished', commandId, asyncId, succeeded: outcome === 'succeeded' })
      .catch((err: unknown) => this.logger.debug({ err }, 'end of a command not announced to other replicas'));
  }
}
