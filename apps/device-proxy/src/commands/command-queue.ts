import { affected, type Clock, CLOCK } from '@lanyard/service';
import { DataSource, type EntityManager, In } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import { locksMax, withDevices } from '../db/device-lock.js';
import { RequestBatcher } from '../db/request-batcher.js';
import { NotCancellable } from '../errors.js';
import { CommandEnds, outcomeBeforeSending, withoutSending } from './command-ends.js';
import { type AcceptOptions, CommandIntake, type NewCommand, type Stored } from './command-intake.js';
import { Command, type CommandState } from './command.entity.js';
import { historyDays } from './limits.js';
import { cancelled, type Outcome } from './outcome.js';

const active = In(['waiting', 'executing']);

/** Deleted in batches: one statement that deleted the commands of many hours would exceed the statement timeout every time. */
const forgottenAtOnce = 5_000;
const forgetSql = `
  DELETE FROM commands WHERE id IN (
    SELECT id FROM commands WHERE finished_at < $1 ORDER BY finished_at LIMIT ${forgottenAtOnce} FOR UPDATE SKIP LOCKED)`;

/** Looked up in pages: a key may have commands in the queues of all devices of its account. */
const devicesAtOnce = 500;
const devicesOfKeySql = `
  SELECT DISTINCT device_id FROM commands WHERE account_id = $1 AND key_id = $2 AND state = 'waiting'
  LIMIT ${devicesAtOnce}`;

/** Claims do not take the device lock: a transaction that ends a command locks its row, so that it is not claimed. */
export const lock = { mode: 'pessimistic_write' } as const;

export const queueOf = (deviceId: string) => ({
  where: { deviceId, state: active },
  order: { position: 'ASC' as const },
});

interface Failing {
  deviceId: string;
  choose: (command: Command) => Outcome | undefined;
}

/**
 * The durable queue of commands: first in, first out, one in flight per device. Accepting a command and announcing it are
 * one transaction, and so are its outcome and the announcement of that. Lists of devices are SQL: they read many rows.
 */
@Injectable()
export class CommandQueue {
  private readonly checks = new RequestBatcher((deviceIds: readonly string[]) => this.checkAll(deviceIds));
  private readonly lockedChecks = new RequestBatcher(
    (deviceIds: readonly string[]) =>
      withDevices(this.dataSource, deviceIds, (manager) => this.checkAll(deviceIds, manager)),
    { batchMax: locksMax },
  );
  /** One device per transaction, and at most two devices of a fleet at once. */
  private readonly failures = new RequestBatcher(
    (devices: readonly Failing[]) =>
      Promise.all(devices.map(({ deviceId, choose }) => this.endWhere(deviceId, choose))),
    { batchMax: 1 },
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly intake: CommandIntake,
    private readonly ends: CommandEnds,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Stores a command, or returns the existing one that the request repeats. */
  accept(command: NewCommand, options: AcceptOptions = {}): Promise<Stored> {
    return this.ends.underLock(command.deviceId, async (manager, end) => {
      const accepted = await this.intake.acceptCommand(manager, command, options);
      const outcome = accepted.isNew ? await options.refusal?.() : undefined;
      if (outcome) await end(accepted.command, outcome);
      return accepted;
    });
  }

  async forgetOld(): Promise<void> {
    const { clock, dataSource } = this;
    const before = new Date(clock.now() - historyDays * 86_400_000);
    while ((await affected(dataSource, forgetSql, [before])) === forgottenAtOnce);
    await this.intake.forgetOld(dataSource.manager);
  }

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

  /** Cancels a waiting command, also one that waits to be sent again. Throws NotCancellable for any other. */
  async cancel(command: Command): Promise<void> {
    const state = await this.cancelWaiting(command);
    if (state !== 'waiting') throw new NotCancellable(state);
  }

  /** Cancels the command of another service; does nothing if the command is not waiting. */
  async cancelIssued(id: string): Promise<void> {
    const known = await this.dataSource.manager.findOneBy(Command, { id, kind: 'campaign' });
    if (known) await this.cancelWaiting(known);
  }

  /**
   * Cancels all waiting commands of a key, those for one device in one transaction. Returns whether the key has other
   * commands: those in flight may have to wait again, or do so since the waiting ones were looked up.
   */
  async cancelAll(accountId: string, keyId: string): Promise<boolean> {
    const { manager } = this.dataSource;
    for (;;) {
      const rows = await manager.query<{ device_id: string }[]>(devicesOfKeySql, [accountId, keyId]);
      if (rows.length === 0) return manager.existsBy(Command, { accountId, keyId, state: active });
      for (const { device_id: deviceId } of rows)
        await this.endWhere(deviceId, (command) =>
          command.keyId === keyId && command.state === 'waiting' ? withoutSending(command, cancelled) : undefined,
        );
    }
  }

  /** Returns the state that the command was in. */
  private cancelWaiting({ id, deviceId }: Command): Promise<CommandState> {
    return this.ends.underLock(deviceId, async (manager, end) => {
      const command = await manager.findOneOrFail(Command, { where: { id }, lock });
      const { state } = command;
      if (state === 'waiting') await end(command, withoutSending(command, cancelled));
      return state;
    });
  }

  /**
   * Ends the commands of a device that wait or are in flight. A whole fleet may be suspended at once, and most devices
   * have no commands: one query finds the devices that do, after all devices are locked, so that it misses no command.
   * `choose` is called when the device has its turn, which may be minutes later; undefined leaves the command as it is.
   */
  async failAll(deviceId: string, choose: (command: Command) => Outcome | undefined): Promise<void> {
    const chooseFor = (command: Command): Outcome | undefined => {
      const outcome = choose(command);
      return outcome && withoutSending(command, outcome);
    };
    if (await this.lockedChecks.submit(deviceId)) await this.failures.submit({ deviceId, choose: chooseFor });
  }

  /** Ends commands that cannot be executed in time: expired in the queue, or claimed by a replica that is gone. */
  async expire(deviceId: string): Promise<void> {
    const now = this.clock.now();
    return this.endWhere(deviceId, (command) => {
      const due = command.expiresAt.getTime() <= now;
      const inFlight = command.state === 'executing' && (command.claimUntil?.getTime() ?? 0) > now;
      return due && !inFlight ? outcomeBeforeSending(command, now) : undefined;
    });
  }

  private endWhere(deviceId: string, choose: (command: Command) => Outcome | undefined): Promise<void> {
    return this.ends.underLock(deviceId, async (manager, end) => {
      const queue = await manager.find(Command, { ...queueOf(deviceId), lock });
      for (const command of queue) {
        const outcome = choose(command);
        if (outcome) await end(command, outcome);
      }
    });
  }
}
