import { type Clock, CLOCK, CONFIG, type Logger, LOGGER, type Timer } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { isComposite, operationOf } from '../downlink/operation.js';
import { Interest } from '../interest/interest.js';
import { attributesIn, targetKey } from '../sessions/observations.js';
import type { Session, StoredSession } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import { WakeUps } from '../sessions/wake-ups.js';
import type { Claimant } from './claim.js';
import { CommandClaims } from './command-claims.js';
import { CommandExecution, type ExecutionResult } from './command-execution.js';
import type { Stored } from './command-intake.js';
import type { Command } from './command.entity.js';
import { CommandQueue } from './command-queue.js';
import { Pushes } from './pushes.js';
import { claimRenewMs, retryPauseMs } from './limits.js';

/** The observation that a subscription asks for, as `targetKey` names it. */
const observationOf = (command: Command): string => {
  const { id, path, query } = command;
  return isComposite(operationOf(command)) ? id : targetKey({ path, attributes: attributesIn(query) });
};

/** Executes the commands of devices with a session on this replica: in order, one in flight per device. */
@Injectable()
export class Deliverer implements OnApplicationBootstrap {
  private readonly running = new Map<string, Promise<void>>();
  /** Devices that may have commands in their queue; others are not looked up. */
  private readonly maybeWaiting = new Set<string>();
  /** Devices that got another command, or sent a message, while their queue was being drained. */
  private readonly changedMeanwhile = new Set<string>();
  private readonly inFlight = new Set<Command>();
  private timer: Timer | undefined;
  /** Devices whose next command waits for a pause. */
  private readonly pauses = new Map<string, Timer>();
  private stopped = false;

  constructor(
    private readonly sessions: Sessions,
    private readonly queue: CommandQueue,
    private readonly claims: CommandClaims,
    private readonly execution: CommandExecution,
    private readonly interest: Interest,
    private readonly pushes: Pushes,
    private readonly wakeUps: WakeUps,
    @Inject(CONFIG) private readonly config: DeviceProxyConfig,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    sessions.listen({
      ended: ({ deviceId }) => {
        this.maybeWaiting.delete(deviceId);
        this.endPause(deviceId);
      },
    });
  }

  onApplicationBootstrap(): void {
    this.timer = this.clock.every(claimRenewMs, () => {
      this.claims.renew([...this.inFlight]).catch((error: unknown) => {
        this.logger.warn({ err: error }, 'claims not renewed');
      });
    });
  }

  /** `uplink` calls it while the listeners close. Resolves once the commands in flight are finished or put back. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timer?.cancel();
    for (const pause of this.pauses.values()) pause.cancel();
    this.pushes.stop();
    await Promise.all(this.running.values());
  }

  /** Looks for waiting commands of a device whose session has just become this replica's. */
  checkQueue(deviceId: string): void {
    this.queue.hasCommands(deviceId).then(
      (has) => {
        if (has) this.deliverWaiting(deviceId);
      },
      (error: unknown) => {
        this.logger.warn(
          { err: error, deviceId },
          'waiting commands could not be checked: assuming that there are some',
        );
        this.deliverWaiting(deviceId);
      },
    );
  }

  /**
   * Stores a command of a device that listens here and has no other command. It is claimed as it is stored, which saves the
   * transaction for the claim. undefined: the device is elsewhere, asleep or busy.
   */
  storeAndDeliver(
    { deviceId, epoch }: StoredSession,
    store: (claimant: Claimant) => Promise<Stored>,
  ): Promise<Stored> | undefined {
    const session = this.sessions.get(deviceId);
    if (session?.epoch !== epoch || !this.sessions.isListening(session)) return undefined;
    if (this.stopped || this.running.has(deviceId) || this.maybeWaiting.has(deviceId)) return undefined;
    const storing = store({ replica: this.config.replicaId, epoch });
    this.maybeWaiting.add(deviceId);
    // The caller gets any failure; a command that was stored despite the failure is found like any other.
    this.startDraining(
      deviceId,
      storing.then(
        ({ command, isNew }) => (isNew && command.state === 'executing' ? command : undefined),
        () => undefined,
      ),
    );
    return storing;
  }

  /**
   * Called when the queue of the device may have a command. Does nothing if the session of the device is not here, or if its
   * next command waits for a pause: what was stored behind that one waits as well.
   */
  deliverWaiting(deviceId: string): void {
    if (!this.sessions.get(deviceId)) return;
    this.maybeWaiting.add(deviceId);
    if (this.pauses.has(deviceId)) return;
    if (this.running.has(deviceId)) this.changedMeanwhile.add(deviceId);
    this.startDraining(deviceId);
  }

  /** Called when the device is listening. */
  resume(deviceId: string): void {
    if (this.maybeWaiting.has(deviceId)) this.startDraining(deviceId);
  }

  private startDraining(deviceId: string, claimed?: Promise<Command | undefined>): void {
    if (this.stopped || this.running.has(deviceId)) return;
    this.endPause(deviceId);
    const run = this.drain(deviceId, claimed)
      .catch((error: unknown) => {
        this.logger.error({ err: error, deviceId }, 'queue not processed: will be retried soon');
        // The queue may still have commands.
        if (!this.sessions.get(deviceId)) return;
        this.maybeWaiting.add(deviceId);
        this.pause(deviceId, retryPauseMs);
      })
      .finally(() => {
        this.running.delete(deviceId);
        if (this.changedMeanwhile.delete(deviceId)) this.startDraining(deviceId);
      });
    this.running.set(deviceId, run);
  }

  /** The next command waits for this long, or until the device sends a message. */
  private pause(deviceId: string, pauseMs: number): void {
    this.endPause(deviceId);
    this.changedMeanwhile.delete(deviceId);
    const pause = this.clock.after(pauseMs, () => {
      this.pauses.delete(deviceId);
      this.resume(deviceId);
    });
    this.pauses.set(deviceId, pause);
  }

  private endPause(deviceId: string): void {
    this.pauses.get(deviceId)?.cancel();
    this.pauses.delete(deviceId);
  }

  /** @param claimed the first command, if it is already claimed */
  private async drain(deviceId: string, claimed?: Promise<Command | undefined>): Promise<void> {
    let first = await claimed;
    while (!this.stopped) {
      const session = this.sessions.get(deviceId);
      if (!session || !this.sessions.isListening(session)) break;
      if (!(await this.confirmOwnership(session, first))) break;
      this.maybeWaiting.delete(deviceId);
      const claimant = { replica: this.config.replicaId, epoch: session.epoch };
      const command = first ?? (await this.claims.claim(deviceId, claimant));
      const wasAlone = first !== undefined;
      first = undefined;
      if (!command) return;
      this.maybeWaiting.add(deviceId);
      if (!(await this.carryOut(session, command))) return;
      // The queue was empty when this command was stored. A caller that stores another one calls `deliverWaiting`.
      if (wasAlone && !this.changedMeanwhile.has(deviceId)) return void this.maybeWaiting.delete(deviceId);
    }
    if (!first) return;
    await this.claims.putBack(first, false);
    this.changedMeanwhile.add(deviceId);
  }

  /**
   * After a stall the session may belong to another replica: the command would run twice, or too late.
   * @param claimed not sent yet
   */
  private async confirmOwnership(session: Session, claimed: Command | undefined): Promise<boolean> {
    try {
      return await this.sessions.confirmOwnership(session);
    } catch (error) {
      // Otherwise a later session could not tell it from a command that was sent.
      if (claimed) await this.claims.putBack(claimed, false);
      throw error;
    }
  }

  /** Returns true when the next command may follow at once. */
  private async carryOut(session: Session, command: Command): Promise<boolean> {
    this.inFlight.add(command);
    try {
      const result = await this.execution.execute(session, command);
      const wasSilent = session.silent;
      await this.storeResult(command, result);
      if (command.kind === 'subscription') {
        if ('done' in result && result.done.outcome === 'succeeded') this.observeIfLost(session, command);
        await this.loadAudience(session);
      }
      if ('done' in result) return true;
      if (result.pauseMs > 0 && !session.isOver) this.pause(command.deviceId, result.pauseMs);
      // The device has sent a message since, but this run was in progress, so that `resume` did not start another.
      if (wasSilent && !session.silent) this.changedMeanwhile.add(command.deviceId);
      return false;
    } finally {
      session.pendingSubscriber = undefined;
      this.inFlight.delete(command);
    }
  }

  /** The device has answered, so this is retried until the database stores it or a later epoch of the session has the command. */
  private async storeResult(command: Command, result: ExecutionResult): Promise<void> {
    const { claims, logger, clock } = this;
    for (;;)
      try {
        const isHeld =
          'done' in result
            ? await claims.finish(command, result.done, result.values)
            : await claims.putBack(command, result.again === 'counted');
        if (!isHeld) logger.info({ commandId: command.id }, 'result dropped: the claim has passed to another replica');
        return;
      } catch (error) {
        if (this.stopped) throw error;
        logger.error({ err: error, commandId: command.id }, 'result not stored: will be retried');
        await clock.sleep(retryPauseMs);
      }
  }

  /**
   * Until it is confirmed, a subscription is left to its command. By then the device may have ended the observation, or have
   * registered again: whichever replica has its session now observes the path again.
   */
  private observeIfLost(session: Session, command: Command): void {
    const { deviceId } = session;
    if (!session.isOver && session.observations.has(observationOf(command))) return;
    this.wakeUps.broadcast({ about: 'interest', deviceId }).catch((err: unknown) => {
      this.logger.warn({ err, deviceId }, 'confirmed subscription not compared with the observations');
    });
  }

  /** The next value must reach the new subscriber, so the audience is reloaded before the command is released. */
  private async loadAudience(session: Session): Promise<void> {
    const { interest, logger, clock } = this;
    for (;;)
      try {
        return void (await interest.load(session));
      } catch (error) {
        if (this.stopped || session.isOver) throw error;
        logger.error({ err: error, deviceId: session.deviceId }, 'subscribers not loaded: will be retried');
        await clock.sleep(retryPauseMs);
      }
  }
}
