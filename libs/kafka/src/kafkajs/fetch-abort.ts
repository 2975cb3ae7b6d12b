import { type CutConnection, cutConnection } from './cut-connection.js';
import { privateModule } from './modules.js';

/** What kafkajs knows about its membership in a group, and how it fetches. */
interface ConsumerGroup {
  readonly cluster: Cluster;
  /** How long a broker holds a fetch without data, and how long a member without partitions waits, in ms. */
  maxWaitTime: number;
  /** Time of the last heartbeat, by the wall clock, in ms. */
  lastRequest: number;
  /** Sends nothing when the last one was sent within the interval, in ms. */
  heartbeat(options: { interval: number }): Promise<void>;
  joinAndSync(): Promise<void>;
  leave(): Promise<void>;
  fetch(nodeId: string): Promise<readonly unknown[]>;
  /** Rejects when the consumer is to fetch again after a pause. */
  recoverFromFetch(error: Error): Promise<void>;
}

interface SentRequest {
  readonly entry: { readonly apiName: string };
}

interface Connection extends CutConnection {
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, SentRequest> };
}

/** kafkajs keeps two connections to a broker: the second is for fetches. */
interface Cluster {
  brokerPool: { brokers: Record<string, { connectionPool: { pool: readonly [Connection, Connection] } }> };
}

/** How long a broker holds a fetch that is written while fetches are being aborted. */
const shortWaitMs = 100;

/** A fetch that has not ended by then waits because no partition is assigned to it, or was about to be written. */
const endsWithinMs = 2 * shortWaitMs;

const noop = (): void => undefined;

const groups = new WeakMap<object, ConsumerGroup>();
const joining = new WeakSet<ConsumerGroup>();
const ending = new WeakSet<ConsumerGroup>();
/** The fetch from a broker has failed, and the others are about to be aborted. */
const failing = new WeakSet<ConsumerGroup>();
/** For each group, the functions that end its fetches under way. */
const fetches = new WeakMap<ConsumerGroup, Map<Promise<unknown>, () => void>>();

/** After this error a consumer refreshes the metadata of the cluster and continues, unless it stops. */
const aborted = (request = 'fetch'): Error =>
  Object.assign(new Error(`the ${request} was aborted`), { name: 'KafkaJSBrokerNotFound' });

/**
 * A broker answers the next fetch on a connection only after the one that it holds. kafkajs connects again. A connection that is
 * authenticating is left alone: an error would be one of SASL, after which a consumer does not start again.
 */
const abortRequests = (connection: Connection): void => {
  const requests = [...connection.requestQueue.inflight.values()];
  if (requests.length === 0 || requests.some(({ entry }) => entry.apiName !== 'Fetch')) return;
  cutConnection(connection, aborted());
};

const fetchConnections = ({ cluster }: ConsumerGroup): Connection[] =>
  Object.values(cluster.brokerPool.brokers).map(({ connectionPool }) => connectionPool.pool[1]);

const abortHeld = (group: ConsumerGroup): void => {
  for (const connection of fetchConnections(group)) abortRequests(connection);
};

/** A fetch written after it was given up, as on a connection that was slow to open, would be held ahead of the next one. */
const abortGivenUp = (group: ConsumerGroup, fetching: Promise<unknown>): void => {
  const timer = setInterval(() => {
    for (const connection of fetchConnections(group))
      if (connection.requestQueue.inflight.size > 1) abortRequests(connection);
  }, shortWaitMs).unref();
  void fetching.catch(noop).finally(() => clearInterval(timer));
};

/**
 * Ends the running fetches of the cluster's consumer without messages. The consumer then continues, with other
 * positions or in another generation of its group.
 */
export const abortFetches = (cluster: object): void => {
  const group = groups.get(cluster);
  if (!group || group.maxWaitTime === shortWaitMs) return;
  const underWay = fetches.get(group);
  if (!underWay || underWay.size === 0) return;
  const { maxWaitTime } = group;
  group.maxWaitTime = shortWaitMs;
  abortHeld(group);
  const ends = [...underWay.values()];
  const ended = Promise.allSettled(underWay.keys());
  const timer = setTimeout(() => {
    // A fetch that was about to be written is held for the wait time that it was created with.
    abortHeld(group);
    // A fetch within which kafkajs joins the group again continues: it must not join twice at the same time.
    if (!joining.has(group)) for (const end of ends) end();
  }, endsWithinMs).unref();
  void ended.then(() => {
    clearTimeout(timer);
    if (!ending.has(group)) group.maxWaitTime = maxWaitTime;
  });
};

/** Requests whose answers wait for other members of the group. */
const joinRequests = ['JoinGroup', 'SyncGroup'];

/**
 * kafkajs leaves its group when it has joined, and a broker answers the request to leave only after the one to join on the same
 * connection: both would wait for the other members, for up to `rebalanceTimeout`.
 */
const abortJoin = ({ cluster }: ConsumerGroup): void => {
  for (const { connectionPool } of Object.values(cluster.brokerPool.brokers)) {
    const [connection] = connectionPool.pool;
    const requests = [...connection.requestQueue.inflight.values()];
    if (requests.some(({ entry }) => joinRequests.includes(entry.apiName))) cutConnection(connection, aborted('join'));
  }
};

/** The consumer stops: a fetch that is about to begin is not held either, and a join that waits for other members ends. */
export const endFetches = (cluster: object): void => {
  abortFetches(cluster);
  const group = groups.get(cluster);
  if (!group) return;
  ending.add(group);
  group.maxWaitTime = shortWaitMs;
  if (joining.has(group)) abortJoin(group);
};

/**
 * What a heartbeat says of a membership. `rebalancing`: the group waits for its members to join again. `lost`: it does not wait
 * for this one, and another member may have its partitions.
 */
export type Membership = 'kept' | 'rebalancing' | 'lost';

/** By the type of the error: kafkajs joins again when the batches that are in flight have ended. */
const memberships = new Map<unknown, Membership>([
  ['REBALANCE_IN_PROGRESS', 'rebalancing'],
  ['NOT_COORDINATOR_FOR_GROUP', 'rebalancing'],
  ['ILLEGAL_GENERATION', 'lost'],
  ['UNKNOWN_MEMBER_ID', 'lost'],
]);

/**
 * Sends a heartbeat while a fetch or a batch is under way. When the group is being rebalanced, or does not know this member
 * any more, fetches are aborted, and kafkajs joins again. Never rejects.
 */
export const sendHeartbeat = async (cluster: object): Promise<Membership> => {
  const group = groups.get(cluster);
  if (!group || joining.has(group)) return 'kept';
  // kafkajs compares this time with the clock to decide whether to send a heartbeat, and the clock may have been set
  // back. The time stays 0 when this heartbeat fails: then kafkajs sends its own after a fetch, and acts on its error.
  group.lastRequest = 0;
  try {
    await group.heartbeat({ interval: 0 });
    return 'kept';
  } catch (error) {
    abortFetches(cluster);
    return memberships.get((error as { type?: unknown }).type) ?? 'kept';
  }
};

/** kafkajs continues, with other brokers or after a pause, when the fetches from all brokers have ended. */
const abortOthers = (group: ConsumerGroup): void => {
  if (failing.has(group)) return;
  failing.add(group);
  // Not at once: a broker that fails again and again must not keep the others from answering.
  setTimeout(() => {
    failing.delete(group);
    if (groups.get(group.cluster) === group) abortFetches(group.cluster);
  }, shortWaitMs).unref();
};

/**
 * kafkajs waits for the running fetch before it stops, seeks, sends a heartbeat or joins again. With this replacement, a fetch
 * can be aborted.
 */
export const replaceFetchWait = (): void => {
  const { prototype } = privateModule('consumer/consumerGroup.js') as { prototype: ConsumerGroup };
  const { joinAndSync, leave, fetch, recoverFromFetch } = prototype;
  prototype.joinAndSync = async function () {
    groups.set(this.cluster, this);
    joining.add(this);
    try {
      await joinAndSync.call(this);
    } finally {
      joining.delete(this);
    }
  };
  // Called also when the consumer has crashed: a heartbeat would connect to a broker while the consumer starts again.
  prototype.leave = async function () {
    if (groups.get(this.cluster) === this) groups.delete(this.cluster);
    await leave.call(this);
  };
  prototype.recoverFromFetch = async function (error) {
    try {
      await recoverFromFetch.call(this, error);
    } catch (failure) {
      abortOthers(this);
      throw failure;
    }
    if (error.name === 'KafkaJSConnectionClosedError') abortOthers(this);
  };
  prototype.fetch = function (nodeId) {
    const underWay = fetches.get(this) ?? new Map<Promise<unknown>, () => void>();
    fetches.set(this, underWay);
    const own = fetch.call(this, nodeId);
    let end = noop;
    const fetching = new Promise<readonly unknown[]>((resolve, reject) => {
      end = () => {
        resolve([]);
        abortGivenUp(this, own);
      };
      own.then(resolve, reject);
    });
    underWay.set(fetching, end);
    return fetching.finally(() => underWay.delete(fetching));
  };
};
