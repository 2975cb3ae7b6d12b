import { DeviceEvents, type Done, type OperatorAction, operatorAction } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import type { EntityManager } from 'typeorm';
import type { Outbox } from './outbox.js';

/** An operator action without the fields that `record` adds. */
export type AuditEntry = Omit<Done, 'eventId' | 'occurredAt'>;

/** Records operator actions in the same transaction as their effect. */
export class AuditTrail {
  constructor(private readonly outbox: Outbox) {}

  async record(
    manager: EntityManager,
    action: OperatorAction,
    entry: AuditEntry,
    at: Date = new Date(),
  ): Promise<void> {
    const fact = operatorAction(action, { ...entry, eventId: newId(at.getTime()), occurredAt: at.toISOString() });
    await this.outbox.append(manager, DeviceEvents, fact, { requestId: entry.actor.requestId });
  }
}
