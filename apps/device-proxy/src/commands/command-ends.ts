import { DeviceCommandResults, DeviceValues, type ResourceValueArrived } from '@lanyard/contracts';
import { causedBy, Outbox } from '@lanyard/kafka';
import { type Clock, CLOCK } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, type FindOptionsWhere } from 'typeorm';
import { isComposite, isRepeatable, operationOf } from '../downlink/operation.js';
import { EndpointNames } from '../intake/endpoint-names.js';
import { observedAlone, SubscriptionStore } from '../interest/subscription-store.js';
import { attributesIn } from '../sessions/observations.js';
import { traceOf } from './command-intake.js';
import { Command } from './command.entity.js';
import { finished } from './facts.js';
import { FinishedCommands } from './finished-commands.js';
import { expired, inDoubt, type Outcome } from './outcome.js';

/** The outcome if the head of a queue must not be sent (again). */
export const outcomeBeforeSending = (head: Command, nowMs: number): Outcome | undefined => {
  if (head.state === 'executing' && !isRepeatable(operationOf(head))) return inDoubt;
  return head.expiresAt.getTime() <= nowMs ? expired : undefined;
};

/** How commands end: the record, the fact in the same transaction, and what follows for subscriptions. */
@Injectable()
export class CommandEnds {
  constructor(
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly subscriptions: SubscriptionStore,
    private readonly names: EndpointNames,
    private readonly finished: FinishedCommands,
  ) {}

  async endCommand(manager: EntityManager, command: Command, outcome: Outcome): Promise<Outcome> {
    await this.record(manager, command, outcome, {});
    command.state = outcome.state ?? outcome.outcome;
    await this.announce(manager, command, outcome);
    return outcome;
  }

  /** False if the command differs from `expected`. */
  async record(
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
        sealedTicket: null,
      },
    );
    return affected === 1;
  }

  async announce(
    manager: EntityManager,
    command: Command,
    outcome: Outcome,
    values: readonly ResourceValueArrived[] = [],
  ): Promise<true> {
    causedBy(manager, command.requestId);
    if (command.kind === 'subscription') await this.updateSubscription(manager, command, outcome);
    if (values.length > 0) await this.outbox.appendAll(manager, DeviceValues, values);
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
    const attributes = attributesIn(command.query);
    if (isComposite(operationOf(command)))
      if (succeeded) await subscriptions.confirmTogether(manager, deviceId, id);
      else await subscriptions.lose(manager, { deviceId, together: id });
    else if (succeeded) await subscriptions.confirm(manager, { deviceId, path, keyId }, attributes);
    else await subscriptions.lose(manager, { deviceId, path, keyId, origin: 'resource', ...observedAlone(attributes) });
  }

  /** Tells those who wait for the results, after the transaction. */
  announceEnded(ended: readonly [Command, Outcome][]): void {
    for (const [command, outcome] of ended) this.finished.announceResult(command, outcome);
  }
}
