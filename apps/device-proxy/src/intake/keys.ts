import type { AccessKeyChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import type { Clock, Logger, Timer } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { Rules } from '../presubscriptions/rules.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';

/** Pause before what failed is tried again. */
const againMs = 3_000;

/** What a key asked for ends with the key: an inactive one receives nothing, so nothing is observed for it. */
export class Keys {
  private readonly running = new Set<Promise<void>>();
  private readonly timers = new Set<Timer>();

  constructor(
    private readonly reader: StateReader<AccessKeyChanged>,
    private readonly dataSource: DataSource,
    private readonly subscriptions: Subscriptions,
    private readonly rules: Rules,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Also makes up for keys that went while no replica ran. */
  async start(): Promise<void> {
    this.reader.onChange((keyId, key) => {
      if (key && key.status !== 'active') this.forget(keyId, key.accountId);
    });
    const rows: { key_id: string }[] = await this.dataSource.query(
      'SELECT DISTINCT key_id FROM subscription UNION SELECT key_id FROM presubscription',
    );
    for (const { key_id: keyId } of rows) {
      const key = this.reader.get(keyId);
      if (key && key.status !== 'active') this.forget(keyId, key.accountId);
    }
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    await Promise.all(this.running);
  }

  private forget(keyId: string, accountId: string): void {
    const run: Promise<void> = this.forgetNow(keyId, accountId)
      .catch((error: unknown) => {
        this.logger.error({ err: error, keyId }, 'subscriptions of a key not removed: tried again');
        this.later(() => {
          // It may be active again by now.
          if (this.reader.get(keyId)?.status !== 'active') this.forget(keyId, accountId);
        });
      })
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private later(work: () => void): void {
    const timer = this.clock.after(againMs, () => {
      this.timers.delete(timer);
      work();
    });
    this.timers.add(timer);
  }

  private async forgetNow(keyId: string, accountId: string): Promise<void> {
    await this.rules.replace(accountId, keyId, []);
    await this.subscriptions.forgetKey(keyId);
  }
}
