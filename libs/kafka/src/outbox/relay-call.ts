import { poolOf } from '@lanyard/service';
import type {
  DataSource,
  EntityManager,
  EntitySubscriberInterface,
  QueryRunner,
  TransactionCommitEvent,
} from 'typeorm';

/**
 * Calls the relay when a transaction that announces something has committed. Not within the transaction: PostgreSQL commits
 * transactions that notify one at a time, and each of them waits for the disk. A lost call costs only time, because the relay
 * also polls. The relay of this process is called directly while it leads.
 */
export class RelayCall implements EntitySubscriberInterface {
  /** Transactions that announce something, and how long the call may wait after their commit, in ms. */
  private readonly announcing = new WeakMap<QueryRunner, number>();
  /** The running calls. `isRequestedAgain`: something was announced meanwhile. */
  private readonly calling = new WeakMap<DataSource, { isRequestedAgain: boolean }>();
  /** Timers of calls that wait for more announcements. */
  private readonly lingering = new WeakMap<DataSource, NodeJS.Timeout>();

  /** Calls the relay of this process; false while that does not lead. */
  callOwnRelay: () => boolean = () => false;

  constructor(private readonly channel: string) {}

  /**
   * Something was announced with this manager: calls when its transaction commits, or now when it has none. `lingerMs`: it may
   * wait for another announcement, with which it is relayed together.
   */
  callAfterCommit({ queryRunner, dataSource }: EntityManager, lingerMs = 0): void {
    if (!queryRunner?.isTransactionActive) return this.callWithin(dataSource, lingerMs);
    if (!dataSource.subscribers.includes(this)) dataSource.subscribers.push(this);
    this.announcing.set(queryRunner, Math.min(this.announcing.get(queryRunner) ?? lingerMs, lingerMs));
  }

  afterTransactionCommit({ queryRunner, dataSource }: TransactionCommitEvent): void {
    // A savepoint that ends commits nothing yet.
    const lingerMs = this.announcing.get(queryRunner);
    if (queryRunner.isTransactionActive || lingerMs === undefined) return;
    this.announcing.delete(queryRunner);
    this.callWithin(dataSource, lingerMs);
  }

  afterTransactionRollback({ queryRunner }: TransactionCommitEvent): void {
    if (!queryRunner.isTransactionActive) this.announcing.delete(queryRunner);
  }

  private callWithin(dataSource: DataSource, lingerMs: number): void {
    if (lingerMs === 0) return this.call(dataSource);
    if (this.lingering.has(dataSource)) return;
    this.lingering.set(dataSource, setTimeout(() => this.call(dataSource), lingerMs).unref());
  }

  /** One call runs at a time: requests that arrive meanwhile share the next one. */
  private call(dataSource: DataSource): void {
    clearTimeout(this.lingering.get(dataSource));
    this.lingering.delete(dataSource);
    if (this.callOwnRelay()) return;
    const current = this.calling.get(dataSource);
    if (current) {
      current.isRequestedAgain = true;
      return;
    }
    const call = { isRequestedAgain: false };
    this.calling.set(dataSource, call);
    const ended = (): void => {
      this.calling.delete(dataSource);
      if (call.isRequestedAgain) this.call(dataSource);
    };
    // The call fails with its connection, or when the service stops: the relay also polls.
    void poolOf(dataSource)
      .query(`NOTIFY "${this.channel}"`)
      .then(ended, () => this.calling.delete(dataSource));
  }
}
