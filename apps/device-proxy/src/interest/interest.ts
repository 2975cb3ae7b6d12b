import { KeyedMutex } from '@lanyard/service';
import { DataSource } from 'typeorm';
import { Injectable } from '@nestjs/common';
import type { Session } from '../sessions/session.js';
import { Audiences } from '../sessions/audiences.js';
import type { Subscription } from './subscription.entity.js';
import { SubscriptionBatcher } from './subscription-batcher.js';
import { SubscriptionStore } from './subscription-store.js';

/** Loads the subscribers of a device into its session, so that the audience of a value is known when it arrives. */
@Injectable()
export class Interest {
  private readonly loads = new KeyedMutex();
  private readonly audiences = new Audiences();

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SubscriptionStore,
    private readonly batcher: SubscriptionBatcher,
  ) {}

  /** Loads many sessions at once, before any of their devices can send a message. */
  async loadAll(sessions: readonly Session[]): Promise<void> {
    const devices = sessions.map((session) => session.deviceId);
    const rows = await this.store.listOfDevices(this.dataSource.manager, devices);
    for (const session of sessions) session.audience = this.audiences.forRows(rows.get(session.deviceId) ?? []);
  }

  /** Loads of one device run one after the other, so the one that started last counts. */
  load(session: Session): Promise<readonly Subscription[]> {
    return this.loads.run(session.deviceId, async () => {
      const rows = await this.batcher.read(session.deviceId);
      session.audience = this.audiences.forRows(rows);
      return rows;
    });
  }
}
