import type { DeviceSelectionRequested } from '@lanyard/contracts';
import { BackgroundWork, endsWithin, KeyedSets } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { SelectionAnswers } from './selection-answers.js';

/** How often a replica looks for requests that are left: by a replica that was killed, or after a failure. */
const periodMs = 1_000;

/** Requests of one account that a replica answers at a time: the lists of the account use the same connections. */
const atOnceMax = 3;

/** How long a stop waits. A request whose query takes longer is answered by another replica. */
const endsMs = 3_000;

/**
 * Answers stored requests for selections, a few of each account at a time and all accounts side by side: one whose
 * queries are slow delays only itself. A request is locked while it is answered, so replicas share them.
 */
@Injectable()
export class SelectionWorker extends BackgroundWork {
  /** By account. */
  private readonly running = new KeyedSets<string, Promise<void>>();
  private isStopped = false;

  constructor(private readonly answers: SelectionAnswers) {
    super(periodMs, 'requests for selections not found, tried again');
  }

  async store(requests: readonly DeviceSelectionRequested[]): Promise<void> {
    await this.answers.store(requests);
    for (const { accountId } of requests) this.begin(accountId);
  }

  protected async step(): Promise<void> {
    for (const { account_id: accountId, n } of await this.answers.countDue())
      for (let running = this.running.get(accountId).size; running < Math.min(n, atOnceMax); running++)
        this.begin(accountId);
  }

  override async stop(): Promise<void> {
    this.isStopped = true;
    await super.stop();
    await endsWithin(endsMs, Promise.all(this.running.values()));
  }

  private begin(accountId: string): void {
    if (this.isStopped || this.running.get(accountId).size >= atOnceMax) return;
    const run: Promise<void> = this.answerAll(accountId)
      .catch((err: unknown) => this.logger.warn({ err, accountId }, 'selection not answered, tried again'))
      .finally(() => this.running.delete(accountId, run));
    this.running.add(accountId, run);
  }

  private async answerAll(accountId: string): Promise<void> {
    while (!this.isStopped && (await this.answers.answerNext(accountId)));
  }
}
