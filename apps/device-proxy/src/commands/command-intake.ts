import { DeviceCommands } from '@lanyard/contracts';
import { type AnnouncedChange, causedBy, Outbox } from '@lanyard/kafka';
import { type Clock, CLOCK, CONFIG, newId, PreparedStatement } from '@lanyard/service';
import type { EntityManager } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { isComposite, operationOf } from '../downlink/operation.js';
import { QueueIsFull } from '../errors.js';
import { type Claimant, claimOf } from './claim.js';
import { Command } from './command.entity.js';
import { accepted } from './facts.js';
import { IdempotencyKeys, type OnceOnly } from './idempotency.js';
import { acceptedLingerMs, queueBytesMax, queueLengthMax } from './limits.js';
import type { Outcome } from './outcome.js';

export type NewCommand = Pick<
  Command,
  'deviceId' | 'accountId' | 'keyId' | 'asyncId' | 'kind' | 'method' | 'path' | 'query' | 'accept' | 'contentType'
> & {
  payload: Buffer | null;
  noResponse?: boolean;
  sealedTicket?: string | null;
  retryMax: number;
  expirySeconds: number;
  fingerprint: string;
  /** The command comes from another service, which has set its id and the time when it expires. */
  issued?: { id: string; expiresAt: Date };
  requestId?: string;
  traceParent?: string;
};

export interface AcceptOptions {
  /** Called under the lock of the device. A returned outcome ends the command at once: it is accepted, but not executed. */
  refusal?: () => Outcome | undefined | Promise<Outcome | undefined>;
  /** Writes further rows in the same transaction. */
  within?: (manager: EntityManager, command: Command) => Promise<void>;
  /** The request is executed once for this Idempotency-Key. */
  idempotencyKey?: string;
  /** Accepts the command even when too many wait; for a command with a refusal. */
  isUnlimited?: boolean;
  /** Claims the command as it is stored, if it is the device's only one. */
  claimant?: Claimant | undefined;
}

export interface Stored {
  command: Command;
  /** The Idempotency-Key of the request was already used. */
  replayed: boolean;
  isNew: boolean;
}

/** The async-id of v2/endpoints is generated for each call, and not part of the request. */
const onceOnly = ({ keyId, kind, asyncId, fingerprint }: NewCommand, key: string): OnceOnly => ({
  keyId,
  key,
  fingerprint: kind === 'endpoint' ? fingerprint : `${asyncId} ${fingerprint}`,
});

export const traceOf = ({ traceParent }: Command): { traceParent?: string } => (traceParent ? { traceParent } : {});

const columnsOf = (manager: EntityManager) =>
  manager.dataSource.getMetadata(Command).columns.filter(({ isInsert }) => isInsert);

/** What is known of the queue of a device when another command arrives. */
interface QueueState {
  /** Id of the unfinished command that the request repeats. */
  known: string | null;
  /** When the last command of the device was accepted. */
  lastAcceptedAt: Date | null;
  /** Number of unfinished commands, and size of their payloads. */
  length: number;
  bytes: number;
}

/**
 * The last accepted command has one of the newest ids, or has not ended. It need not have the newest id: that of a campaign's
 * command is from when the command was issued.
 */
const newestIds = 20;

const queueState = new PreparedStatement<QueueState>(
  `SELECT (SELECT CASE WHEN fingerprint = $4 THEN id END FROM commands
           WHERE key_id = $2 AND async_id = $3 AND device_id = $1 AND state IN ('waiting', 'executing')
           ORDER BY position DESC LIMIT 1) AS known,
     greatest(max(accepted_at), (SELECT max(accepted_at) FROM (
       SELECT accepted_at FROM commands WHERE device_id = $1 ORDER BY id DESC LIMIT ${newestIds}) newest)) AS "lastAcceptedAt",
     count(*)::int AS length, coalesce(sum(octet_length(payload)), 0)::int AS bytes
   FROM commands WHERE device_id = $1 AND state IN ('waiting', 'executing')`,
);

/** Turns a request into a new command, or finds the one that it repeats. The caller holds the device lock. */
@Injectable()
export class CommandIntake {
  private readonly idempotencyKeys: IdempotencyKeys;
  private inserting: AnnouncedChange | undefined;

  constructor(
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: DeviceProxyConfig,
  ) {
    this.idempotencyKeys = new IdempotencyKeys(clock);
  }

  /** Throws QueueIsFull or IdempotencyKeyReused. */
  async acceptCommand(
    manager: EntityManager,
    command: NewCommand,
    { within, idempotencyKey, isUnlimited, claimant }: AcceptOptions,
  ): Promise<Stored> {
    const issued = command.issued && (await manager.findOneBy(Command, { id: command.issued.id }));
    if (issued) return { command: issued, replayed: false, isNew: false };
    const once = idempotencyKey === undefined ? undefined : onceOnly(command, idempotencyKey);
    const first = once && (await this.idempotencyKeys.find(manager, once));
    if (first) return this.existing(manager, first, true);
    const { known, lastAcceptedAt, length, bytes } = await this.readQueueState(manager, command);
    if (known) {
      if (once) await this.idempotencyKeys.store(manager, once, known);
      return this.existing(manager, known, false);
    }
    const isFull = length >= queueLengthMax || bytes + (command.payload?.length ?? 0) > queueBytesMax;
    if (isFull && isUnlimited !== true)
      throw new QueueIsFull(command.kind === 'device-request' || isComposite(operationOf(command)) ? 400 : 429);
    const fresh = await this.insert(manager, command, lastAcceptedAt, length === 0 ? claimant : undefined);
    if (once) await this.idempotencyKeys.store(manager, once, fresh.id);
    await within?.(manager, fresh);
    return { command: fresh, replayed: false, isNew: true };
  }

  forgetOld(manager: EntityManager): Promise<void> {
    return this.idempotencyKeys.forgetOld(manager);
  }

  private async existing(manager: EntityManager, id: string, replayed: boolean): Promise<Stored> {
    return { command: await manager.findOneByOrFail(Command, { id }), replayed, isNew: false };
  }

  private async insert(
    manager: EntityManager,
    command: NewCommand,
    lastAcceptedAt: Date | null,
    claimant?: Claimant,
  ): Promise<Command> {
    const now = this.clock.now();
    // Later than the command before it, even if a replica with a fast clock accepted that: this time orders desired values.
    const acceptedAtMs = Math.max(now, (lastAcceptedAt?.getTime() ?? 0) + 1);
    const { expirySeconds, issued, ...fields } = command;
    const row = manager.create(Command, {
      ...fields,
      id: issued?.id ?? newId(acceptedAtMs),
      sealedTicket: command.sealedTicket ?? null,
      noResponse: command.noResponse ?? false,
      attempts: 0,
      state: 'waiting',
      ...(claimant && claimOf({ attempts: 0, firstAttemptedAt: null }, claimant, now)),
      acceptedAt: new Date(acceptedAtMs),
      acceptedBy: this.config.replicaId,
      expiresAt: issued?.expiresAt ?? new Date(now + expirySeconds * 1000),
    });
    const requestId = row.requestId ?? undefined;
    causedBy(manager, requestId);
    await this.insertion(manager).make(
      manager,
      columnsOf(manager).map((column) => column.getEntityValue(row) as unknown),
      [this.outbox.announcement(DeviceCommands, accepted(row), { ...traceOf(row), requestId })],
    );
    return row;
  }

  private insertion(manager: EntityManager): AnnouncedChange {
    if (this.inserting) return this.inserting;
    const columns = columnsOf(manager);
    const places = columns.map((_, n) => `$${n + 1}`);
    const names = columns.map(({ databaseName }) => databaseName);
    return (this.inserting = this.outbox.changing(
      `INSERT INTO commands (${names.join()}) VALUES (${places.join()})`,
      columns.length,
      acceptedLingerMs,
    ));
  }

  /**
   * An async-id is a correlation id: a request repeats the newest unfinished command with its async-id if both are the same
   * request; otherwise it is a new command.
   */
  private async readQueueState(
    manager: EntityManager,
    { deviceId, keyId, asyncId, fingerprint }: NewCommand,
  ): Promise<QueueState> {
    const [found] = await queueState.run(manager, [deviceId, keyId, asyncId, fingerprint]);
    return found ?? { known: null, lastAcceptedAt: null, length: 0, bytes: 0 };
  }
}
