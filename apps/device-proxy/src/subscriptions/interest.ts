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

  /** Many at once, before any of them can be heard. */
  async loadAll(sessions: readonly Session[]): Promise<void> {
    const devices = sessions.map((session) => session.deviceId);
    const rows = await this.store.ofAll(this.dataSource.manager, devices);
    const byDevice = new Map<string, Subscription[]>();
    for (const row of rows) byDevice.set(row.deviceId, [...(byDevice.get(row.deviceId) ?? []), row]);
    for (const session of sessions) session.audience = byPath(byDevice.get(session.deviceId) ?? []);
  }

  /** Loads of one device run one after the other, so the last one that started is the one that counts. */
  load(session: Session): Promise<Subscription[]> {
    return this.loads.run(session.deviceId, async () => {
      const rows = await this.store.of(this.dataSource.manager, session.deviceId);
      session.audience = byPath(rows);
      return rows;
    });
  }
}
