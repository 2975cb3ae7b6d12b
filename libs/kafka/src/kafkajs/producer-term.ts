import type { Cluster, Kafka, Logger } from 'kafkajs';
import { privateModule } from './modules.js';

/** The place of a batch's records in the sequence of its producer. */
export interface ProducerStamp {
  producerId: bigint;
  epoch: number;
  /** Sequence number of the first record. */
  sequence: number;
}

/** Sequence numbers wrap to 0 (KIP-98). */
const sequencesMax = 2 ** 31;

/**
 * The term of one producer among those of the same name. Kafka stores nothing of an earlier term in a partition that
 * has a batch of a later one, and each batch once, however often it is sent: KIP-98, without its transactions.
 */
export class ProducerTerm {
  private readonly next = new Map<string, number>();

  constructor(
    private readonly producerId: bigint,
    private readonly epoch: number,
  ) {}

  /** The stamp for this many records, which are sent after all that were stamped before. */
  stamp(topic: string, partition: number, records: number): ProducerStamp {
    const place = `${topic}/${partition}`;
    const sequence = this.next.get(place) ?? 0;
    this.next.set(place, (sequence + records) % sequencesMax);
    return { producerId: this.producerId, epoch: this.epoch, sequence };
  }
}

interface EosManager {
  initProducerId(): Promise<void>;
  getProducerId(): string;
  getProducerEpoch(): number;
}

interface EosOptions {
  logger: Logger;
  cluster: Cluster;
  transactional: true;
  transactionalId: string;
}

const createEosManager = privateModule('producer/eosManager/index.js') as (options: EosOptions) => EosManager;

type PrivateParts = Record<symbol, (options: object) => Cluster & { disconnect(): Promise<void> }>;

/** The cluster of a kafkajs client, which kafkajs does not expose. */
const newCluster = (kafka: Kafka): ReturnType<PrivateParts[symbol]> => {
  const ofClusters = Object.getOwnPropertySymbols(kafka).find((s) => s.description === 'private:Kafka:createCluster');
  const create = ofClusters && (kafka as unknown as PrivateParts)[ofClusters];
  if (!create) throw new Error('kafkajs makes clusters in another way than in the version this was written for');
  return create.call(kafka, { allowAutoTopicCreation: false });
};

/** Fences the previous holder of the name. Rejects when Kafka does not allow the name or has no coordinator for it. */
export const newTerm = async (kafka: Kafka, name: string): Promise<ProducerTerm> => {
  const cluster = newCluster(kafka);
  try {
    await cluster.connect();
    const manager = createEosManager({ logger: kafka.logger(), cluster, transactional: true, transactionalId: name });
    await manager.initProducerId();
    return new ProducerTerm(BigInt(manager.getProducerId()), manager.getProducerEpoch());
  } finally {
    await cluster.disconnect();
  }
};
