import { DeviceEvents, type Done, type OperatorAction, operatorAction } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import type { EntityManager } from 'typeorm';
import type { Outbox } from './outbox.js';

export type Deed = Omit<Done, 'eventId' | 'occurredAt'>;

/** Records what operators do, in the transaction in which it is done: neither is without the other. */
export class AuditTrail {
  constructor(private readonly outbox: Outbox) {}

  async record(manager: EntityManager, action: OperatorAction, deed: Deed, at: Date = new Date()): Promise<void> {
    const fact = operatorAction(action, { ...deed, eventId: newId(at.getTime()), occurredAt: at.toISOString() });
    await this.outbox.append(manager, DeviceEvents, fact, { requestId: deed.actor.requestId });
  }
}
