import { DataSource } from 'typeorm';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandQueue } from '../commands/command-queue.js';
import { AccessKeysReader } from '../state/access-keys.reader.js';
import { Rules } from '../presubscriptions/rules.js';
import { Receivers } from '../observations/receivers.js';
import { WorkingProvider } from '../working-provider.js';
import { Subscriptions } from './subscriptions.js';

const retryDelayMs = 3_000;

/**
 * For so long after a change of a key, requests may arrive that it may not make any more: other replicas of the gateway
 * know the key as it was for five seconds, and a request takes its time.
 */
export const lateRequestsMs = 10_000;

/** Shorter than the pause before a command is sent again, so that a command is found while it waits for that. */
const inFlightPauseMs = 3_000;

/** A change of a group affects all of its keys at once; this limit leaves database connections for other work. */
const concurrentMax = 2;

/**
 * Removes the subscriptions and rules of a key that may no longer receive values: it was deleted or switched off, or
 * its groups no longer give `subscriptions`. Its values stop before that, because `Receivers` decides for each value.
 * The waiting commands of a deleted key are cancelled, also those that have to wait again after an attempt: the key may
 * have been deleted because it was stolen.
 */
@Injectable()
export class Keys extends WorkingProvider implements OnApplicationBootstrap {
  private readonly waiting = new Set<string>();
  private readonly running = new Set<string>();

  constructor(
    private readonly reader: AccessKeysReader,
    private readonly receivers: Receivers,
    private readonly dataSource: DataSource,
    private readonly subscriptions: Subscriptions,
    private readonly rules: Rules,
    private readonly queue: CommandQueue,
  ) {
    super('keys');
  }

  /** Also handles keys that changed while no replica ran. */
  async onApplicationBootstrap(): Promise<void> {
    this.reader.onChange((keyId, now, before) => {
      this.check(keyId);
      // After an absence of Kafka all keys are read again, most of them unchanged.
      if (now?.revision !== before?.revision) this.work.later(lateRequestsMs, () => this.check(keyId));
    });
    const rows: { key_id: string }[] = await this.dataSource.query(
      `SELECT key_id FROM subscriptions UNION SELECT key_id FROM presubscriptions
       UNION SELECT key_id FROM commands WHERE state IN ('waiting', 'executing')`,
    );
    for (const { key_id: keyId } of rows) this.check(keyId);
  }

  private check(keyId: string): void {
    if (this.receivers.mayReceive(keyId)) this.waiting.delete(keyId);
    else this.waiting.add(keyId);
    this.next();
  }

  private next(): void {
    for (const keyId of this.waiting) {
      if (this.running.size >= concurrentMax) return;
      if (this.running.has(keyId)) continue;
      this.waiting.delete(keyId);
      this.begin(keyId);
    }
  }

  private begin(keyId: string): void {
    this.running.add(keyId);
    const forget = () =>
      this.forget(keyId).finally(() => {
        this.running.delete(keyId);
        this.next();
      });
    this.work.run(forget, (err) => {
      this.logger.error({ err, keyId }, 'subscriptions or commands of a key not removed: will be retried');
      this.work.later(retryDelayMs, () => this.check(keyId));
    });
  }

  private async forget(keyId: string): Promise<void> {
    const key = this.reader.get(keyId);
    if (!key) return;
    // First, because the subscriptions may take minutes.
    if (key.status === 'deleted' && (await this.queue.cancelAll(key.accountId, keyId)))
      this.work.later(inFlightPauseMs, () => this.check(keyId));
    await this.rules.replace(key.accountId, keyId, []);
    await this.subscriptions.forgetKey(keyId);
  }
}
