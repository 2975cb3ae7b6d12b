import { Metrics } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  type QueryRunner,
  type TransactionCommitEvent,
} from 'typeorm';

/** Counts devices that finished, when the transaction that finishes them has committed: one that fails is repeated. */
@Injectable()
export class FinishedDevices implements EntitySubscriberInterface {
  private readonly total;
  /** Codes of the entries of devices that a transaction finishes. Each transaction has a runner of its own. */
  private readonly finishing = new WeakMap<QueryRunner, string[]>();

  constructor(database: DataSource, metrics: Metrics) {
    this.total = metrics.counter({
      name: 'lanyard_campaigns_devices_finished_total',
      help: 'Devices that finished in a campaign, by the code of their entry in the event log',
      labelNames: ['code'],
    });
    database.subscribers.push(this);
  }

  countAfterCommit({ queryRunner }: EntityManager, codes: readonly string[]): void {
    if (queryRunner) this.finishing.set(queryRunner, [...(this.finishing.get(queryRunner) ?? []), ...codes]);
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    for (const code of this.finishing.get(queryRunner) ?? []) this.total.inc({ code });
    this.finishing.delete(queryRunner);
  }
}
