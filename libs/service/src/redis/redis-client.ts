import type { EventEmitter } from 'node:events';
import { isIP } from 'node:net';
import { type ChainableCommander, Cluster, Redis, type RedisCommander, type RedisOptions } from 'ioredis';
import { readTls } from '../config/tls-files.js';
import { endWhenServerIsGone } from './lost-server.js';
import { parseRedisUrl, type RedisAddress } from '../config/redis-address.js';

/** What one Redis, one behind sentinels, and a cluster have in common. */
export interface RedisClient extends RedisCommander, EventEmitter {
  disconnect(reconnect?: boolean): void;
  defineCommand(name: string, definition: { lua: string; numberOfKeys?: number; readOnly?: boolean }): void;
  pipeline(): ChainableCommander;
}

export type RedisClientOptions = Pick<
  RedisOptions,
  | 'autoResendUnfulfilledCommands'
  | 'commandTimeout'
  | 'connectTimeout'
  | 'enableAutoPipelining'
  | 'enableOfflineQueue'
  | 'maxLoadingRetryTime'
  | 'maxRetriesPerRequest'
> & { retryStrategy: (attempt: number) => number };

/** How soon moved slots are detected without a redirection. */
const clusterRefreshMs = 2_000;

/** How long a cluster client waits before it tries again after a node was lost. */
const failoverRetryMs = 100;

/**
 * While Redis loads it reports an estimate, and a client waits that long by default before it retries. What Redis
 * reports is far too long at first: ten seconds for a load that took one second, measured.
 */
const loadingRetryMs = 100;

/**
 * A master that was demoted, or one that a sentinel named although another was chosen, answers for ever that it is read
 * only, also from within scripts. Only a new connection finds the master.
 */
const isReadOnly = ({ message }: Error): boolean => message.includes('READONLY');

const loginOf = ({ username, password }: RedisAddress): RedisOptions => ({
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
});

/**
 * A command that was meant for one node is not redirected to another automatically: that one may lack what the command builds
 * on. The command fails, and the slots are read again.
 */
const failWhenMoved = (cluster: Cluster): void => {
  const handleError = cluster.handleError.bind(cluster);
  cluster.handleError = (error, ttl, handlers) => {
    if (!error.message.startsWith('MOVED ')) return handleError(error, ttl, handlers);
    cluster.refreshSlotsCache();
    handlers.defaults();
  };
};

const clusterClient = (address: RedisAddress, options: RedisClientOptions): Cluster => {
  const { enableAutoPipelining, enableOfflineQueue, maxRetriesPerRequest, retryStrategy, ...ofNodes } = options;
  const cluster = new Cluster(address.hosts, {
    redisOptions: { ...ofNodes, ...loginOf(address), ...(address.tls && { tls: readTls(address.tls) }) },
    ...(enableAutoPipelining !== undefined && { enableAutoPipelining }),
    ...(enableOfflineQueue !== undefined && { enableOfflineQueue }),
    clusterRetryStrategy: retryStrategy,
    // Callers that must not send a command twice need this here too. 0: it fails.
    retryDelayOnFailover: maxRetriesPerRequest === 0 ? 0 : failoverRetryMs,
    retryDelayOnClusterDown: maxRetriesPerRequest === 0 ? 0 : failoverRetryMs,
    slotsRefreshTimeout: 5_000,
    slotsRefreshInterval: clusterRefreshMs,
    // With TLS, nodes are known by the names in their certificates.
    ...(address.tls && { dnsLookup: (host, callback) => callback(null, host) }),
  });
  if (maxRetriesPerRequest === 0) failWhenMoved(cluster);
  cluster.on('+node', (node: Redis) => {
    endWhenServerIsGone(node);
    // Otherwise the node connects with its first command, and other commands are refused until it has.
    void node.connect().catch(() => undefined);
  });
  return cluster;
};

const sentinelClient = (address: RedisAddress, options: RedisClientOptions): Redis => {
  const { sentinelPassword, master, hosts, db } = address;
  const tls = address.tls && readTls(address.tls);
  return new Redis({
    ...options,
    ...loginOf(address),
    sentinels: hosts,
    ...(master !== undefined && { name: master }),
    db,
    role: 'master',
    sentinelRetryStrategy: options.retryStrategy,
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(tls && { tls, enableTLSForSentinelMode: true, sentinelTLS: tls }),
  });
};

const singleClient = (address: RedisAddress, options: RedisClientOptions): Redis => {
  const [{ host, port } = { host: '', port: 0 }] = address.hosts;
  const tls = address.tls && { ...readTls(address.tls), ...(isIP(host) === 0 && { servername: host }) };
  return new Redis({ ...options, ...loginOf(address), host, port, db: address.db, ...(tls && { tls }) });
};

/** The only place that makes a client of Redis, from REDIS_URL as the configuration gives it. It connects at once. */
export const redisClient = (url: string, given: RedisClientOptions): RedisClient => {
  // `keepSubscribed` subscribes again.
  const own = { maxLoadingRetryTime: loadingRetryMs, reconnectOnError: isReadOnly, autoResubscribe: false };
  const options = { ...own, ...given };
  const address = parseRedisUrl(url);
  if (address.kind === 'cluster') return clusterClient(address, options);
  const redis = address.kind === 'sentinel' ? sentinelClient(address, options) : singleClient(address, options);
  endWhenServerIsGone(redis);
  return redis;
};

/** The hosts of Redis for messages, without secrets. */
export const redisHosts = (url: string): string =>
  parseRedisUrl(url)
    .hosts.map(({ host, port }) => `${host}:${port}`)
    .join(',');

export const isCluster = (redis: RedisClient): boolean => redis instanceof Cluster;

/** A client for each node that accepts writes. */
export const masterNodes = (redis: RedisClient): RedisClient[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis];

/** The master of each slot. */
const mastersOf = (cluster: Cluster): string => cluster.slots.map(([master]) => master).join();

/**
 * `lost` is called when the connection to a node of a cluster breaks, or when another node takes over slots of it: the new one
 * may lack its last writes, whether or not the connection to the old one breaks. Never called for a Redis that is no cluster.
 */
export const onNodeLost = (redis: RedisClient, lost: () => void): void => {
  if (!(redis instanceof Cluster)) return;
  redis.on('+node', (node: Redis) => node.once('ready', () => node.once('close', lost)));
  let masters = mastersOf(redis);
  redis.on('refresh', () => {
    const before = masters;
    masters = mastersOf(redis);
    if (masters !== before) lost();
  });
};

/** How many listen to a pub/sub channel. The nodes of a cluster know only of their own listeners. */
export const subscriberCount = async (redis: RedisClient, channel: string): Promise<number> => {
  const nodes: RedisClient[] = redis instanceof Cluster ? redis.nodes('all') : [redis];
  const counts = await Promise.all(nodes.map((node) => node.pubsub('NUMSUB', channel) as Promise<[string, number]>));
  return counts.reduce((sum, [, count]) => sum + count, 0);
};

/**
 * Subscribes to channels, and again over each new connection. Resolves when Redis has confirmed this for the first time; `missed`
 * is called each further time, because messages in between are lost. Rejects if Redis refuses the first subscription, as to a user without
 * rights to the channels. ioredis by itself repeats only subscriptions that were confirmed on the last connection, and handles no failure
 * of them.
 */
export const keepSubscribed = (
  redis: RedisClient,
  channels: readonly string[],
  missed: () => void = () => undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let isSubscribed = false;
    const subscribe = (): void => {
      const wasSubscribed = isSubscribed;
      redis.subscribe(...channels).then(
        () => {
          isSubscribed = true;
          resolve();
          if (wasSubscribed) missed();
        },
        // Without an answer of Redis, the connection is lost: the next one tries again.
        (error: Error) => {
          if (error.name === 'ReplyError') reject(error);
        },
      );
    };
    redis.on('ready', subscribe);
    subscribe();
  });
