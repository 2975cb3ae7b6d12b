import kafkajs, { type Cluster, type Consumer, type PartitionAssigner } from 'kafkajs';
import { abortFetches, endFetches, type Membership, sendHeartbeat } from './fetch-abort.js';
import { isReplaced } from './switches.js';

/** The cluster of a kafkajs consumer, which kafkajs exposes only to assigners. */
export class ConsumerCluster {
  cluster: Cluster | undefined;
  readonly canAbort = isReplaced('fetch-abort');

  readonly assigner: PartitionAssigner = (config) => {
    this.cluster = config.cluster;
    return kafkajs.PartitionAssigners.roundRobin(config);
  };

  /** Leaves the group and disconnects, without the wait for a fetch for which the broker has nothing. */
  disconnect(consumer: Consumer): Promise<void> {
    const disconnected = consumer.disconnect();
    if (this.cluster && this.canAbort) endFetches(this.cluster);
    return disconnected;
  }

  /** The next fetch starts at once, from the positions that are valid now. */
  abortFetches(): void {
    if (this.cluster && this.canAbort) abortFetches(this.cluster);
  }

  /** Finds out whether the group is being rebalanced, also while a fetch or a batch is under way. Never rejects. */
  async heartbeat(): Promise<Membership> {
    return this.cluster && this.canAbort ? sendHeartbeat(this.cluster) : 'kept';
  }
}
