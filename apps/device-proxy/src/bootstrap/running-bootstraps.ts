import type { BootstrapFailure } from '@lanyard/contracts';
import { type Clock, CLOCK, KeyedCounts, type Logger, LOGGER, Metrics, NamedError } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { RetryLater } from '../transport/retry-later.js';
import type { BootstrapKey } from './bootstrap-facts.js';
import { bootstrapMaxMs, bootstrapsMax, bootstrapsPerAccountMax } from './limits.js';

/** Why this replica aborted a bootstrap; the `reason` of its signal. */
export class Aborted extends NamedError {
  constructor(
    readonly failure: BootstrapFailure,
    message: string,
  ) {
    super(message);
  }
}

interface Running {
  key: BootstrapKey;
  controller: AbortController;
}

/**
 * The bootstraps in progress on this replica. Their number, number per account and duration are limited, and each device has
 * one, because a device that asks again has forgotten the previous one.
 */
@Injectable()
export class RunningBootstraps {
  private readonly byDevice = new Map<string, Running>();
  private readonly ofAccounts = new KeyedCounts();
  private readonly running = new Map<Promise<void>, AbortController>();
  private stopping = false;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    const help = 'Bootstraps of devices in progress';
    metrics.observe({ name: 'lanyard_device_proxy_bootstraps_in_flight', help }, () => this.running.size);
  }

  /**
   * Runs a bootstrap, and aborts a running one of the device. The signal aborts with `Aborted`, also when time is up. Throws
   * RetryLater when there are too many. `work` handles its own errors.
   */
  run(key: BootstrapKey, work: (signal: AbortSignal) => Promise<void>): void {
    const { accountId, deviceId } = key;
    if (this.stopping) throw new RetryLater('this replica stops');
    if (this.running.size >= bootstrapsMax || this.ofAccounts.get(accountId) >= bootstrapsPerAccountMax)
      throw new RetryLater('too many bootstraps are in progress');
    this.byDevice.get(deviceId)?.controller.abort(new Aborted('superseded', 'the device asked again'));
    const controller = new AbortController();
    this.byDevice.set(deviceId, { key, controller });
    this.ofAccounts.increment(accountId);
    const timer = this.clock.after(bootstrapMaxMs, () =>
      controller.abort(new Aborted('no-answer', `not done after ${bootstrapMaxMs / 1_000} s`)),
    );
    const run = work(controller.signal)
      .catch((error: unknown) => this.logger.error({ err: error, deviceId }, 'bootstrap failed'))
      .finally(() => {
        timer.cancel();
        this.running.delete(run);
        this.ofAccounts.decrement(accountId);
        if (this.byDevice.get(deviceId)?.controller === controller) this.byDevice.delete(deviceId);
      });
    this.running.set(run, controller);
  }

  /** Aborts the bootstrap of the device. `bootstrapId`: only if it is this one. */
  abortDevice(deviceId: string, why: string, bootstrapId?: string): void {
    const running = this.byDevice.get(deviceId);
    if (!running || (bootstrapId !== undefined && running.key.bootstrapId !== bootstrapId)) return;
    running.controller.abort(new Aborted('stopped', why));
  }

  abortAccount(accountId: string, why: string): void {
    for (const { key } of this.byDevice.values()) if (key.accountId === accountId) this.abortDevice(key.deviceId, why);
  }

  /** Devices whose bootstrap stops here ask again, and another replica answers. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const controller of this.running.values())
      controller.abort(new Aborted('stopped', 'the replica stopped: the device asks again'));
    await Promise.all(this.running.keys());
  }
}
