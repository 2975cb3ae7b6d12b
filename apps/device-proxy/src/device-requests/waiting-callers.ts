import type { DeviceCommandFinished } from '@lanyard/contracts';
import type { Clock } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { Nudges } from '../sessions/nudges.js';
import { Command } from '../commands/command.entity.js';
import { responseOf } from '../commands/facts.js';
import { waitingCallersMax, waitLookMs } from '../commands/limits.js';

type Response = DeviceCommandFinished['item'];

/**
 * Callers that want the result in their request. They are told by the replica that ended the command, and look
 * themselves now and then: the one who accepted it first may be another replica.
 */
export class WaitingCallers {
  private readonly wakes = new Map<string, Set<AbortController>>();
  private readonly waits = new Set<Promise<unknown>>();
  private stopped = false;

  constructor(
    private readonly dataSource: DataSource,
    nudges: Nudges,
    private readonly clock: Clock,
  ) {
    nudges.on((nudge) => {
      if (nudge.about === 'finished') for (const wake of this.wakes.get(nudge.commandId) ?? []) wake.abort();
    });
  }

  /** Whoever waits hears that the command is in the queue. Resolves when their answers are on their way. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const wakes of this.wakes.values()) for (const wake of wakes) wake.abort();
    await Promise.allSettled(this.waits);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The asynchronous response once the command has ended; undefined when it has not within the time. */
  async response(commandId: string, seconds: number): Promise<Response | undefined> {
    if (this.stopped || this.waits.size >= waitingCallersMax) return undefined;
    const wait = this.wait(commandId, seconds);
    this.waits.add(wait);
    try {
      return await wait;
    } finally {
      this.waits.delete(wait);
    }
  }

  private async wait(commandId: string, seconds: number): Promise<Response | undefined> {
    const untilMs = this.clock.now() + seconds * 1000;
    for (;;) {
      // Before the look: an end that comes between look and sleep ends the sleep.
      const wake = this.expect(commandId);
      try {
        const command = await this.dataSource.manager.findOneBy(Command, { id: commandId });
        const leftMs = untilMs - this.clock.now();
        const response = command ? responseOf(command) : undefined;
        if (!command || response || leftMs <= 0 || this.stopped) return response;
        await this.clock.sleep(Math.min(leftMs, waitLookMs), wake.signal);
      } finally {
        this.expectNoMore(commandId, wake);
      }
    }
  }

  private expect(commandId: string): AbortController {
    const wake = new AbortController();
    const wakes = this.wakes.get(commandId) ?? new Set();
    this.wakes.set(commandId, wakes.add(wake));
    return wake;
  }

  private expectNoMore(commandId: string, wake: AbortController): void {
    const wakes = this.wakes.get(commandId);
    wakes?.delete(wake);
    if (wakes?.size === 0) this.wakes.delete(commandId);
  }
}
