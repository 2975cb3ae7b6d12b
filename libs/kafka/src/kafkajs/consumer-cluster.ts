import kafkajs, { type Cluster, type Consumer, type PartitionAssigner } from 'kafkajs';
import { isReplaced } from './switches.js';

/** A fetch may be written after the consumer was told to end: it is cut then. */
const cutAgainMs = 20;

interface FetchConnection {
  rejectRequests(error: Error): void;
}

/** What kafkajs keeps of brokers: a connection for fetches, beside the one for everything else. */
interface BrokerConnections {
  connectionPool: { pool: readonly [unknown, FetchConnection] };
}

interface Brokers {
  brokerPool: { brokers: Record<string, BrokerConnections> };
}

/** After this time a consumer refreshes the metadata of the cluster and continues. */
const cut = (): Error => Object.assign(new Error('the consumer ends its fetch'), { name: 'KafkaJSBrokerNotFound' });

/** The cluster of a kafkajs consumer, which kafkajs exposes only to assigners. */
export class ConsumerCluster {
  cluster: Cluster | undefined;

  readonly assigner: PartitionAssigner = (config) => {
    this.cluster = config.cluster;
    return kafkajs.PartitionAssigners.roundRobin(config);
  };

  /** Leaves the group and disconnects, without the wait for a fetch for which the broker has nothing. */
  async disconnect(consumer: Consumer): Promise<void> {
    const disconnected = consumer.disconnect();
    if (!isReplaced('fetch-abort')) return disconnected;
    this.cutFetches();
    const cutting = setInterval(() => this.cutFetches(), cutAgainMs);
    try {
      await disconnected;
    } finally {
      clearInterval(cutting);
    }
  }

  private cutFetches(): void {
    const { brokerPool } = (this.cluster ?? { brokerPool: { brokers: {} } }) as unknown as Brokers;
    for (const { connectionPool } of Object.values(brokerPool.brokers)) connectionPool.pool[1].rejectRequests(cut());
  }
}
