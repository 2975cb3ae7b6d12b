import type { DeviceCommandFinished } from '@lanyard/contracts';
import { type Clock, CLOCK, KeyedCounts, KeyedSets, StopDeadline } from '@lanyard/service';
import { DataSource } from 'typeorm';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { WakeUps } from '../sessions/wake-ups.js';
import { Command } from '../commands/command.entity.js';
import { responseOf } from '../commands/facts.js';
import { waitingCallersMax, waitingCallersOfAccountMax, waitLookMs } from '../commands/limits.js';

type Response = DeviceCommandFinished['item'];

/**
 * Callers whose request waits for the result of its command. The replica that ended the command notifies them, and they poll
 * occasionally, because another replica may have accepted the command first.
 */
@Injectable()
export class WaitingCallers implements OnModuleDestroy {
  private readonly wakes = new KeyedSets<string, AbortController>();
  private readonly waits = new Set<Promise<unknown>>();
  private readonly ofAccounts = new KeyedCounts();
  private stopped = false;

  constructor(
    private readonly dataSource: DataSource,
    wakeUps: WakeUps,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly deadline: StopDeadline,
  ) {
    wakeUps.on('finished', ({ commandId }) => {
      for (const wake of this.wakes.get(commandId)) wake.abort();
    });
  }

  /**
   * Waiting callers get 202, because their commands stay in the queue. Nest calls this hook before any other of a
   * shutdown, so that the answers are sent while everything else still runs.
   */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    for (const wake of this.wakes.values()) wake.abort();
    await this.deadline.step('waiting callers', () => Promise.allSettled(this.waits).then(() => undefined));
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The asynchronous response once the command has ended; undefined when it does not end in time, or when too many callers wait. */
  async response({ id, accountId }: Pick<Command, 'id' | 'accountId'>, seconds: number): Promise<Response | undefined> {
    const ofAccount = this.ofAccounts.get(accountId);
    const isFull = this.waits.size >= waitingCallersMax || ofAccount >= waitingCallersOfAccountMax;
    if (this.stopped || isFull) return undefined;
    this.ofAccounts.increment(accountId);
    const wait = this.wait(id, seconds);
    this.waits.add(wait);
    try {
      return await wait;
    } finally {
      this.waits.delete(wait);
      this.ofAccounts.decrement(accountId);
    }
  }

  private async wait(commandId: string, seconds: number): Promise<Response | undefined> {
    let leftMs = seconds * 1000;
    const untilMs = this.clock.now() + leftMs;
    for (;;) {
      // Registered before the read, so that a command that ends between read and sleep wakes the sleep.
      const wake = new AbortController();
      this.wakes.add(commandId, wake);
      try {
        const command = await this.find(commandId);
        leftMs = Math.min(leftMs, untilMs - this.clock.now());
        const response = command ? responseOf(command) : undefined;
        if (command === null || response || leftMs <= 0 || this.stopped) return response;
        const pauseMs = Math.min(leftMs, waitLookMs);
        await this.clock.sleep(pauseMs, wake.signal);
        // Also counted, because the clock may be set back.
        if (!wake.signal.aborted) leftMs -= pauseMs;
      } finally {
        this.wakes.delete(commandId, wake);
      }
    }
  }

  /** undefined: PostgreSQL does not answer. Not an error, which would make the caller send the stored command a second time. */
  private find(id: string): Promise<Command | null | undefined> {
    return this.dataSource.manager.findOneBy(Command, { id }).catch(() => undefined);
  }
}
