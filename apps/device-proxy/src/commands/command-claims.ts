import type { ResourceValueArrived } from '@lanyard/contracts';
import { type Clock, CLOCK, CONFIG, PreparedStatement } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import type { DeviceProxyConfig } from '../config.js';
import { withDevice } from '../db/device-lock.js';
import { type Claimant, claimOf } from './claim.js';
import { CommandEnds, outcomeBeforeSending } from './command-ends.js';
import { CommandQueue, lock, queueOf } from './command-queue.js';
import { Command } from './command.entity.js';
import { claimLeaseMs } from './limits.js';
import type { Outcome } from './outcome.js';

/** Matches no epoch. */
const noEpoch = '0';

/**
 * Claims of commands by the replica that executes them. A result counts only while its replica still holds the claim.
 * Claims are SQL, because they are made for every command.
 */
@Injectable()
export class CommandClaims {
  private claiming: PreparedStatement<Command> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: CommandQueue,
    private readonly ends: CommandEnds,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: DeviceProxyConfig,
  ) {}

  /**
   * Claims the next command of the device; undefined when none waits or another replica has claimed one. The caller
   * finishes a command or returns it to the queue before it claims the next one.
   */
  async claim(deviceId: string, claimant: Claimant): Promise<Command | undefined> {
    const claimed = await this.claimWaiting(deviceId, claimant);
    if (claimed || !(await this.queue.hasCommands(deviceId))) return claimed;
    return this.decideOnHead(deviceId, claimant);
  }

  /**
   * The usual case in one statement, without the device lock: the head of the queue waits and may be sent. Transactions
   * that end a command lock its row. undefined: the queue is empty, or its head needs a decision.
   */
  private async claimWaiting(deviceId: string, { replica, epoch }: Claimant): Promise<Command | undefined> {
    const { manager } = this.dataSource;
    const now = this.clock.now();
    this.claiming ??= new PreparedStatement(
      `UPDATE commands c SET state = 'executing', attempts = c.attempts + 1, attempted_at = $2,
         first_attempted_at = coalesce(c.first_attempted_at, $2), claimed_by = $3, claim_epoch = $4, claim_until = $5
       WHERE c.id = (SELECT id FROM commands WHERE device_id = $1 AND state IN ('waiting', 'executing')
                     ORDER BY position LIMIT 1 FOR UPDATE)
         AND c.state = 'waiting' AND c.expires_at > $2
       RETURNING ${this.columns()}`,
    );
    const claim = [deviceId, new Date(now), replica, epoch, new Date(now + claimLeaseMs)];
    const [claimed] = await this.claiming.run(manager, claim);
    return claimed && manager.create(Command, claimed);
  }

  /** Columns of `command c`, named as in the entity. */
  private columns(): string {
    const { columns } = this.dataSource.getMetadata(Command);
    return columns.map(({ databaseName, propertyName }) => `c.${databaseName} AS "${propertyName}"`).join();
  }

  /**
   * Under the device lock: ends the commands at the head that must not be sent (again), and claims the next one, unless
   * another replica is executing it.
   */
  private decideOnHead(deviceId: string, claimant: Claimant): Promise<Command | undefined> {
    return this.ends.underLock(deviceId, async (manager, end) => {
      for (;;) {
        const head = await manager.findOne(Command, { ...queueOf(deviceId), lock });
        if (!head) return undefined;
        if (this.isOwnClaim(head, claimant)) Object.assign(head, { state: 'waiting', attempts: head.attempts - 1 });
        else if (this.inFlight(head, claimant)) return undefined;
        const outcome = outcomeBeforeSending(head, this.clock.now());
        if (!outcome) return this.markClaimed(manager, head, claimant);
        await end(head, outcome);
      }
    });
  }

  /**
   * False when the caller has lost the claim: another replica decides what happens to the command.
   * @param values the values that the command read
   */
  async finish(command: Command, outcome: Outcome, values: readonly ResourceValueArrived[] = []): Promise<boolean> {
    const { dataSource, ends } = this;
    const executed = { claimEpoch: command.claimEpoch ?? noEpoch, values };
    // Subscriptions are changed under the lock of their device; any other result is stored in its row only.
    const done = await (command.kind === 'subscription'
      ? withDevice(dataSource, command.deviceId, (manager) => ends.end(manager, command, outcome, executed))
      : ends.end(dataSource.manager, command, outcome, executed));
    if (done) this.ends.announceEnd(command, outcome);
    return done;
  }

  /** Returns the command to its place in the queue. `countAttempt` false: nothing was sent. */
  async putBack(command: Command, countAttempt: boolean): Promise<boolean> {
    return withDevice(this.dataSource, command.deviceId, async (manager) => {
      if (!(await this.holds(manager, command))) return false;
      const attempts = command.attempts - (countAttempt ? 0 : 1);
      await manager.update(
        Command,
        { id: command.id },
        { state: 'waiting', attempts, claimedBy: null, claimEpoch: null, claimUntil: null },
      );
      return true;
    });
  }

  async renew(commands: readonly Command[]): Promise<void> {
    if (commands.length === 0) return;
    const ids = commands.map((command) => command.id);
    const claimUntil = new Date(this.clock.now() + claimLeaseMs);
    await this.dataSource.manager.update(
      Command,
      { id: In(ids), state: 'executing', claimedBy: this.config.replicaId },
      { claimUntil },
    );
  }

  /**
   * The command is claimed in this epoch of the session, although the caller knows of no such claim: the reply to the claim
   * was lost with the database connection. A session executes one command at a time, so nothing was sent for this one.
   */
  private isOwnClaim({ state, claimedBy, claimEpoch }: Command, { replica, epoch }: Claimant): boolean {
    return state === 'executing' && claimedBy === replica && Number(claimEpoch) === epoch;
  }

  /** Whether an owner of the caller's epoch or a later one is executing the command. An owner of an earlier epoch has lost the device. */
  private inFlight(head: Command, { epoch }: Claimant): boolean {
    return head.state === 'executing' && Number(head.claimEpoch) >= epoch;
  }

  private async markClaimed(manager: EntityManager, head: Command, claimant: Claimant): Promise<Command> {
    const claim = claimOf(head, claimant, this.clock.now());
    await manager.update(Command, { id: head.id }, claim);
    return Object.assign(head, claim);
  }

  private async holds(manager: EntityManager, { id, claimEpoch }: Command): Promise<boolean> {
    if (claimEpoch === null) return false;
    return manager.existsBy(Command, { id, state: 'executing', claimEpoch });
  }
}
