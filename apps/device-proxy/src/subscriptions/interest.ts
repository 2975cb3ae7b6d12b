import type { DataSource } from 'typeorm';
import { OneAtATime } from '../sessions/one-at-a-time.js';
import type { Session } from '../sessions/session.js';
import type { Subscription } from './subscription.entity.js';
import type { SubscriptionStore } from './subscription-store.js';

const byPath = (rows: readonly Subscription[]): Map<string, string[]> => {
  const audience = new Map<string, string[]>();
  for (const { path, keyId } of rows) audience.set(path, [...(audience.get(path) ?? []), keyId]);
  return audience;
};

/** Who wants what of a device, kept with its session: the audience of a value is known when it arrives. */
export class Interest {
  private readonly loads = new OneAtATime();

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SubscriptionStore,
  ) {}

  /** Loads of one device run one after the other, so the last one that started is the one that counts. */
  load(session: Session): Promise<Subscription[]> {
    return this.loads.run(session.deviceId, async () => {
      const rows = await this.store.of(this.dataSource.manager, session.deviceId);
      session.audience = byPath(rows);
      return rows;
    });
  }
}
