import { DeviceCommandResults, DeviceValues, type ResourceValueArrived } from '@lanyard/contracts';
import { type AnnouncedChange, causedBy, Outbox } from '@lanyard/kafka';
import { type Clock, CLOCK, hasRow } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { withDevice } from '../db/device-lock.js';
import { bringsNoChange, isComposite, isRepeatable, operationOf } from '../downlink/operation.js';
import { EndpointNames } from '../intake/endpoint-names.js';
import { singleObservation, SubscriptionStore } from '../interest/subscription-store.js';
import { attributesIn } from '../sessions/observations.js';
import { traceOf } from './command-intake.js';
import { Command } from './command.entity.js';
import { finished } from './facts.js';
import { FinishedCommands } from './finished-commands.js';
import { expired, inDoubt, type Outcome, withUnansweredNote } from './outcome.js';

/** The outcome of a command that was sent, and is not sent again: it says if the device may have executed the command. */
export const unanswered = (command: Command, outcome: Outcome): Outcome =>
  bringsNoChange(operationOf(command)) ? outcome : withUnansweredNote(outcome);

/** The outcome of a command that is not sent (again): it says if the device may have executed the command. */
export const withoutSending = (command: Command, outcome: Outcome): Outcome => {
  // What is not safe to repeat waits after an attempt only if the device refused it with a Reset.
  const wasSent = command.attempts > 0 && (command.state === 'executing' || isRepeatable(operationOf(command)));
  return wasSent ? unanswered(command, outcome) : outcome;
};

/** The outcome if the head of a queue must not be sent (again). */
export const outcomeBeforeSending = (head: Command, nowMs: number): Outcome | undefined => {
  if (head.state === 'executing' && !isRepeatable(operationOf(head))) return inDoubt;
  return head.expiresAt.getTime() <= nowMs ? withoutSending(head, expired) : undefined;
};

/** $2: the epoch whose claim is required; null: none. */
const endSql = `
  UPDATE commands SET state = $3, finished_at = $4, status = $5, error = $6, note = $7, result = $8, result_type = $9,
    result_max_age = $10, claim_until = NULL, download_ticket = NULL
  WHERE id = $1 AND ($2::bigint IS NULL OR (state = 'executing' AND claim_epoch = $2))`;

/** Finds unfinished commands that ask for a subscription with these attributes. */
const askingSql = `
  SELECT FROM commands WHERE device_id = $1 AND key_id = $2 AND path = $3 AND query = $4::text[]
    AND kind = 'subscription' AND method = 'GET' AND state IN ('waiting', 'executing')`;

/** Ends a command in the transaction, without another attempt. */
export type EndCommand = (command: Command, outcome: Outcome) => Promise<void>;

/** What is required for the end of an executed command, and stored with it. */
export interface Executed {
  /** The command does not end if it is not claimed in this epoch of the session. */
  claimEpoch: string;
  /** The values that the command read. */
  values: readonly ResourceValueArrived[];
}

/** Ends commands: writes the record and the fact in one statement, and updates the subscriptions that depend on the command. */
@Injectable()
export class CommandEnds {
  private readonly ending: AnnouncedChange;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly subscriptions: SubscriptionStore,
    private readonly names: EndpointNames,
    private readonly finished: FinishedCommands,
  ) {
    this.ending = outbox.changing(endSql, 10);
  }

  /** A transaction under the lock of the device. After it, those who wait for the results of the commands that it ended are told. */
  async underLock<T>(deviceId: string, work: (manager: EntityManager, end: EndCommand) => Promise<T>): Promise<T> {
    const ended: [Command, Outcome][] = [];
    const result = await withDevice(this.dataSource, deviceId, (manager) =>
      work(manager, async (command, outcome) => {
        await this.end(manager, command, outcome);
        command.state = outcome.state ?? outcome.outcome;
        ended.push([command, outcome]);
      }),
    );
    for (const [command, outcome] of ended) this.announceEnd(command, outcome);
    return result;
  }

  /** False if another replica has the claim. A result that changes a subscription requires a transaction. */
  async end(manager: EntityManager, command: Command, outcome: Outcome, executed?: Executed): Promise<boolean> {
    const { outbox } = this;
    const nowMs = this.clock.now();
    const requestId = command.requestId ?? undefined;
    const fact = finished(command, outcome, nowMs, this.names.nameOf(command.deviceId));
    const change = [
      command.id,
      executed?.claimEpoch ?? null,
      outcome.state ?? outcome.outcome,
      new Date(nowMs),
      outcome.status,
      outcome.error ?? null,
      outcome.note ?? null,
      outcome.payload ?? null,
      outcome.contentType ?? null,
      outcome.maxAgeSeconds ?? null,
    ];
    const ended = await this.ending.make(manager, change, [
      ...(executed?.values ?? []).map((value) => outbox.announcement(DeviceValues, value, { requestId })),
      outbox.announcement(DeviceCommandResults, fact, { ...traceOf(command), requestId }),
    ]);
    if (!ended || command.kind !== 'subscription') return ended;
    causedBy(manager, requestId);
    await this.updateSubscription(manager, command, outcome);
    return true;
  }

  /**
   * Applies the result of a command to its subscription. A failed command leaves no subscription that would be retried, but it
   * removes neither what the device confirmed earlier nor what another command still asks for.
   */
  private async updateSubscription(manager: EntityManager, command: Command, { outcome }: Outcome): Promise<void> {
    const { subscriptions } = this;
    const { id, deviceId, path, keyId, query } = command;
    const succeeded = outcome === 'succeeded';
    const attributes = attributesIn(query);
    if (isComposite(operationOf(command)))
      if (succeeded) await subscriptions.confirmComposite(manager, deviceId, id);
      else await subscriptions.lose(manager, { deviceId, together: id });
    else if (succeeded) await subscriptions.confirm(manager, { deviceId, path, keyId }, attributes);
    else if (!(await hasRow(manager, askingSql, [deviceId, keyId, path, query]))) {
      const asked = { deviceId, path, keyId, origin: 'resource', status: 'asked' } as const;
      await subscriptions.lose(manager, { ...asked, ...singleObservation(attributes) });
    }
  }

  /** Tells those who wait for the result; called after the transaction. */
  announceEnd(command: Command, outcome: Outcome): void {
    this.finished.announceResult(command, outcome);
  }
}
