import { DeviceCommandResults } from '@lanyard/contracts';
import { causedBy, Outbox } from '@lanyard/kafka';
import { type Clock, CLOCK, CONFIG } from '@lanyard/service';
import { DataSource, type EntityManager, type FindOptionsWhere, In, IsNull } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import { locksMax, withDevice, withDevices } from '../db/device-lock.js';
import { RequestBatcher } from '../db/request-batcher.js';
import { isComposite, isRepeatable, operationOf } from '../downlink/operation.js';
import { CommandNotFound, NotCancellable } from '../errors.js';
import type { DeviceProxyConfig } from '../config.js';
import { EndpointNames } from '../intake/endpoint-names.js';
import { SubscriptionStore } from '../interest/subscription-store.js';
import { Command, type CommandState } from './command.entity.js';
import { type AcceptOptions, CommandIntake, type NewCommand, type Stored, traceOf } from './command-intake.js';
import { FinishedCommands } from './finished-commands.js';
import { finished } from './facts.js';
import { findCommand } from './find-command.js';
import { claimLeaseMs, historyDays } from './limits.js';
import { cancelled, expired, inDoubt, type Outcome } from './outcome.js';

/** The replica that executes a command, and its epoch of the device's session. */
export interface Claimant {
  replica: string;
  epoch: number;
}

const active = In(['waiting', 'executing']);

/** Claims do not take the device lock: a transaction that ends a command locks its row, so that it is not claimed. */
const lock = { mode: 'pessimistic_write' } as const;

/** Matches no epoch. */
const none = '0';

const queueOf = (deviceId: string) => ({ where: { deviceId, state: active }, order: { position: 'ASC' as const } });

interface Failing {
  deviceId: string;
  outcome: Outcome;
}

/**
 * The durable queue of commands: first in, first out, one in flight per device. What is accepted is announced in the
 * same transaction, and so is its outcome; a result counts only while its replica still holds the claim. Claims and
 * lists of devices are SQL: they lock or read many rows.
 */
@Injectable()
export class CommandQueue {
  private readonly checks = new RequestBatcher((deviceIds: readonly string[]) => this.checkAll(deviceIds));
  private readonly lockedChecks = new RequestBatcher(
    (deviceIds: readonly string[]) =>
      withDevices(this.dataSource, deviceIds, (manager) => this.checkAll(deviceIds, manager)),
    { batchMax: locksMax },
  );
  /** Each in a separate transaction, and at most two of a fleet at once. */
  private readonly failures = new RequestBatcher(
    (devices: readonly Failing[]) =>
      Promise.all(devices.map(({ deviceId, outcome }) => this.endWhere(deviceId, () => outcome))),
    { batchMax: 1 },
  );

  private readonly replicaId: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly subscriptions: SubscriptionStore,
    private readonly intake: CommandIntake,
    private readonly names: EndpointNames,
    private readonly finished: FinishedCommands,
    @Inject(CONFIG) { replicaId }: DeviceProxyConfig,
  ) {
    this.replicaId = replicaId;
  }

  /** Stores a command, or returns the existing one that the request repeats. */
  async accept(command: NewCommand, options: AcceptOptions = {}): Promise<Stored> {
    const ended: [Command, Outcome][] = [];
    const stored = await withDevice(this.dataSource, command.deviceId, async (manager) => {
      const taken = await this.intake.acceptCommand(manager, command, options);
      const outcome = taken.isNew ? options.refusal?.() : undefined;
      if (outcome) ended.push([taken.command, await this.endCommand(manager, taken.command, outcome)]);
      return taken;
    });
    this.announceEnded(ended);
    return stored;
  }

  async forgetOld(): Promise<void> {
    const { clock, dataSource } = this;
    const before = new Date(clock.now() - historyDays * 86_400_000);
    await dataSource.query(`DELETE FROM commands WHERE finished_at < $1`, [before]);
    await this.intake.forgetOld(dataSource.manager);
  }

  /** The devices with unfinished commands. */
  async devicesWithCommands(): Promise<string[]> {
    const rows: { device_id: string }[] = await this.dataSource.query(
      `SELECT DISTINCT device_id FROM commands WHERE state IN ('waiting', 'executing')`,
    );
    return rows.map((row) => row.device_id);
  }

  /** Whether commands of the device wait or are in flight. Batched over devices. */
  hasCommands(deviceId: string): Promise<boolean> {
    return this.checks.submit(deviceId);
  }

  private async checkAll(
    deviceIds: readonly string[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<boolean[]> {
    const rows: { device_id: string }[] = await manager.query(
      `SELECT DISTINCT device_id FROM commands WHERE device_id = ANY($1) AND state IN ('waiting', 'executing')`,
      [deviceIds],
    );
    const found = new Set(rows.map((row) => row.device_id));
    return deviceIds.map((deviceId) => found.has(deviceId));
  }

  /**
   * Claims the next command of the device; undefined when none waits or another replica has claimed one. The caller
   * finishes a command or puts it back before it claims the next.
   */
  async claim(deviceId: string, claimant: Claimant): Promise<Command | undefined> {
    const taken = await this.takeWaiting(deviceId, claimant);
    if (taken || !(await this.hasCommands(deviceId))) return taken;
    return this.judgeHead(deviceId, claimant);
  }

  /**
   * The usual case in one statement, without the device lock: the head of the queue waits and may be sent. Transactions
   * that end a command lock its row. undefined: the queue is empty, or its head needs a decision.
   */
  private async takeWaiting(deviceId: string, { replica, epoch }: Claimant): Promise<Command | undefined> {
    const { clock, dataSource } = this;
    const now = clock.now();
    const [rows]: [Command[], number] = await dataSource.query(
      `UPDATE commands c SET state = 'executing', attempts = c.attempts + 1, attempted_at = $2, claimed_by = $3,
         claim_epoch = $4, claim_until = $5
       WHERE c.id = (SELECT id FROM commands WHERE device_id = $1 AND state IN ('waiting', 'executing')
                     ORDER BY position LIMIT 1 FOR UPDATE)
         AND c.state = 'waiting' AND c.expires_at > $2
       RETURNING ${this.columns()}`,
      [deviceId, new Date(now), replica, epoch, new Date(now + claimLeaseMs)],
    );
    return rows[0] && dataSource.manager.create(Command, rows[0]);
  }

  /** Columns of `command c`, named as in the entity. */
  private columns(): string {
    const { columns } = this.dataSource.getMetadata(Command);
    return columns.map(({ databaseName, propertyName }) => `c.${databaseName} AS "${propertyName}"`).join();
  }

  private async judgeHead(deviceId: string, claimant: Claimant): Promise<Command | undefined> {
    const ended: [Command, Outcome][] = [];
    const claimed = await withDevice(this.dataSource, deviceId, async (manager) => {
      for (;;) {
        const head = await manager.findOne(Command, { ...queueOf(deviceId), lock });
        if (!head) return undefined;
        if (this.isUnanswered(head, claimant)) Object.assign(head, { state: 'waiting', attempts: head.attempts - 1 });
        else if (this.inFlight(head, claimant)) return undefined;
        const verdict = this.verdictOn(head);
        if (!verdict) return this.markClaimed(manager, head, claimant);
        ended.push([head, await this.endCommand(manager, head, verdict)]);
      }
    });
    this.announceEnded(ended);
    return claimed;
  }

  /** False when the caller has lost the claim: another replica decides what happens to the command. */
  async finish(command: Command, outcome: Outcome): Promise<boolean> {
    const { dataSource } = this;
    const work = async (manager: EntityManager): Promise<boolean> =>
      (await this.record(manager, command, outcome, { state: 'executing', claimEpoch: command.claimEpoch ?? none })) &&
      this.announce(manager, command, outcome);
    // Subscriptions are changed under the lock of their device; any other result is stored in its row only.
    const done = await (command.kind === 'subscription'
      ? withDevice(dataSource, command.deviceId, work)
      : dataSource.transaction(work));
    if (done) this.announceEnded([[command, outcome]]);
    return done;
  }

  /** Returns it to its place in the queue. `countAttempt` false: nothing was sent. */
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
      { id: In(ids), state: 'executing', claimedBy: this.replicaId },
      { claimUntil },
    );
  }

  /** Cancels a waiting command. Throws CommandNotFound, or NotCancellable once it has been sent to the device. */
  async cancel(keyId: string, reference: string): Promise<void> {
    const { dataSource } = this;
    const { manager } = dataSource;
    const known =
      (await findCommand(manager, keyId, reference, 'waiting')) ?? (await findCommand(manager, keyId, reference));
    if (!known) throw new CommandNotFound();
    const state = await this.cancelWaiting(known);
    if (state !== 'waiting') throw new NotCancellable(state);
  }

  /** Cancels the command of another service; nothing happens if it does not wait. */
  async cancelIssued(id: string): Promise<void> {
    const known = await this.dataSource.manager.findOneBy(Command, { id, kind: 'campaign' });
    if (known) await this.cancelWaiting(known);
  }

  /** The state that it was in. */
  private async cancelWaiting({ id, deviceId }: Command): Promise<CommandState> {
    const ended: [Command, Outcome][] = [];
    const before = await withDevice(this.dataSource, deviceId, async (manager) => {
      const command = await manager.findOneOrFail(Command, { where: { id }, lock });
      const { state } = command;
      if (state === 'waiting') ended.push([command, await this.endCommand(manager, command, cancelled)]);
      return state;
    });
    this.announceEnded(ended);
    return before;
  }

  /**
   * Ends every command of a device that waits or is in flight. A whole fleet may be suspended at once, and most devices
   * have no commands: one query finds those that do, after all of them are locked, so that it misses no command.
   */
  async failAll(deviceId: string, outcome: Outcome): Promise<void> {
    if (await this.lockedChecks.submit(deviceId)) await this.failures.submit({ deviceId, outcome });
  }

  /** Ends commands that cannot be executed in time: expired in the queue, or claimed by a replica that is gone. */
  async expire(deviceId: string): Promise<number> {
    const now = this.clock.now();
    return this.endWhere(deviceId, (command) => {
      const due = command.expiresAt.getTime() <= now;
      if (command.state === 'waiting') return due ? expired : undefined;
      const abandoned = (command.claimUntil?.getTime() ?? 0) <= now;
      return due && abandoned ? this.verdictOn(command) : undefined;
    });
  }

  private async endWhere(deviceId: string, choose: (command: Command) => Outcome | undefined): Promise<number> {
    const ended: [Command, Outcome][] = [];
    await withDevice(this.dataSource, deviceId, async (manager) => {
      const queue = await manager.find(Command, { ...queueOf(deviceId), lock });
      for (const command of queue) {
        const outcome = choose(command);
        if (outcome) ended.push([command, await this.endCommand(manager, command, outcome)]);
      }
    });
    this.announceEnded(ended);
    return ended.length;
  }

  /**
   * Claimed in this epoch of the session although the caller has no such claim: the reply to the claim was lost with the
   * database connection. A session executes one command at a time, so nothing was sent for it.
   */
  private isUnanswered({ state, claimedBy, claimEpoch }: Command, { replica, epoch }: Claimant): boolean {
    return state === 'executing' && claimedBy === replica && Number(claimEpoch) === epoch;
  }

  /** In flight with the owner of this or a later epoch than the caller's. An earlier epoch has lost the device. */
  private inFlight(head: Command, { epoch }: Claimant): boolean {
    return head.state === 'executing' && Number(head.claimEpoch) >= epoch;
  }

  /** The outcome if the head of the queue must not be sent (again). */
  private verdictOn(head: Command): Outcome | undefined {
    if (head.state === 'executing' && !isRepeatable(operationOf(head))) return inDoubt;
    return head.expiresAt.getTime() <= this.clock.now() ? expired : undefined;
  }

  private async markClaimed(manager: EntityManager, head: Command, { replica, epoch }: Claimant): Promise<Command> {
    const claim = {
      state: 'executing' as const,
      attempts: head.attempts + 1,
      attemptedAt: new Date(this.clock.now()),
      claimedBy: replica,
      claimEpoch: String(epoch),
      claimUntil: new Date(this.clock.now() + claimLeaseMs),
    };
    await manager.update(Command, { id: head.id }, claim);
    return Object.assign(head, claim);
  }

  private async holds(manager: EntityManager, { id, claimEpoch }: Command): Promise<boolean> {
    if (claimEpoch === null) return false;
    return manager.existsBy(Command, { id, state: 'executing', claimEpoch });
  }

  private async endCommand(manager: EntityManager, command: Command, outcome: Outcome): Promise<Outcome> {
    await this.record(manager, command, outcome, {});
    await this.announce(manager, command, outcome);
    return outcome;
  }

  /** False if the command differs from `expected`. */
  private async record(
    manager: EntityManager,
    { id }: Command,
    outcome: Outcome,
    expected: FindOptionsWhere<Command>,
  ): Promise<boolean> {
    const { affected } = await manager.update(
      Command,
      { id, ...expected },
      {
        state: outcome.state ?? outcome.outcome,
        finishedAt: new Date(this.clock.now()),
        status: outcome.status,
        error: outcome.error ?? null,
        note: outcome.note ?? null,
        result: outcome.payload ?? null,
        resultType: outcome.contentType ?? null,
        resultMaxAge: outcome.maxAgeSeconds === undefined ? null : String(outcome.maxAgeSeconds),
        claimUntil: null,
        downloadTicket: null,
      },
    );
    return affected === 1;
  }

  private async announce(manager: EntityManager, command: Command, outcome: Outcome): Promise<true> {
    causedBy(manager, command.requestId);
    if (command.kind === 'subscription') await this.updateSubscription(manager, command, outcome);
    const now = this.clock.now();
    const fact = finished(command, outcome, now, this.names.nameOf(command.deviceId));
    await this.outbox.append(manager, DeviceCommandResults, fact, traceOf(command));
    return true;
  }

  /** Applies the result of a command to its subscription. A failed one leaves nothing that would be retried. */
  private async updateSubscription(manager: EntityManager, command: Command, { outcome }: Outcome): Promise<void> {
    const { subscriptions } = this;
    const { id, deviceId, path, keyId } = command;
    const succeeded = outcome === 'succeeded';
    if (isComposite(operationOf(command)))
      if (succeeded) await subscriptions.confirmTogether(manager, deviceId, id);
      else await subscriptions.lose(manager, { deviceId, together: id });
    else if (succeeded) await subscriptions.confirm(manager, deviceId, path, keyId);
    else await subscriptions.lose(manager, { deviceId, path, keyId, origin: 'resource', together: IsNull() });
  }

  private announceEnded(ended: readonly [Command, Outcome][]): void {
    for (const [command, outcome] of ended) this.finished.announceResult(command, outcome);
  }
}
