import {
  awaiting,
  ConfigError,
  isCluster,
  type Logger,
  masterNodes,
  onNodeLost,
  reached,
  type RedisClient,
  redisClient,
  redisHosts,
} from '@lanyard/service';
import { type CommandName, scripts } from './scripts.js';

export type Reply = Buffer | number | null | Reply[];
export type Argument = string | number | Buffer;

/** Name, key, and the other arguments. */
export type RedisCommand = readonly [name: string, key: string, ...rest: (string | number)[]];

/** Longer than any command takes. A command that times out may have run: commands are safe to repeat. */
const commandTimeoutMs = 5_000;

/** The connection was lost since the caller learnt the state that it acts on: it must start over. */
export class LinkLost extends Error {
  constructor() {
    super('The connection to Redis was lost meanwhile');
    this.name = 'LinkLost';
  }
}

/** Redis refuses to take more, because its memory is full. */
export const isFull = (error: unknown): boolean => error instanceof Error && /(^|-)OOM /.test(error.message);

/** The key has another type than the command is for. */
export const isWrongType = ({ message }: Error): boolean => message.startsWith('WRONGTYPE ');

/**
 * Of many commands that were sent together, an operator must know which one failed. The name of the error and the
 * beginning of its message stay, because they tell an outage from a bug.
 */
const failureOf = ([command, key]: RedisCommand, { name, message }: Error): Error =>
  Object.assign(new Error(`${message} (${command} ${key})`), { name });

/** The reply in place of an error; undefined: there is none. */
type ReplyTo = (error: Error) => unknown;

const replyOrFailure = (command: RedisCommand, error: Error, replyTo: ReplyTo | undefined): unknown => {
  const reply = replyTo?.(error);
  if (reply === undefined) throw failureOf(command, error);
  return reply;
};

export const openRedis = (url: string, logger: Logger, forMessages = false): RedisClient => {
  const redis = redisClient(url, {
    enableOfflineQueue: forMessages,
    // 0: commands that are not answered fail when the connection breaks, not only when they time out.
    maxRetriesPerRequest: forMessages ? null : 0,
    autoResendUnfulfilledCommands: false,
    ...(!forMessages && { commandTimeout: commandTimeoutMs }),
    connectTimeout: 3_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
  redis.on('error', (err: Error) => logger.warn({ err }, 'Redis connection'));
  return redis;
};

const openTimeoutMs = 10_000;

const untilReady = (redis: RedisClient): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      redis.disconnect();
      reject(new Error(`no answer within ${openTimeoutMs} ms`));
    }, openTimeoutMs);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Redis may delete queues when its memory is full. */
const policiesThatDeleteQueues = /^allkeys-/;

/** Throws ConfigError when Redis may delete queues. Many providers hide the setting itself. */
const checkEviction = async (redis: RedisClient, logger: Logger): Promise<void> => {
  for (const node of masterNodes(redis)) {
    const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(await node.info('memory')) ?? [];
    if (policiesThatDeleteQueues.test(policy))
      throw new ConfigError(
        'REDIS_URL',
        `leads to a Redis that deletes events (maxmemory-policy ${policy}): set noeviction`,
      );
    if (policy !== 'noeviction') logger.warn({ policy }, 'maxmemory-policy of Redis should be noeviction');
  }
};

/** How long after the loss of a cluster node the recovery begins. It retries until the node's successor answers. */
const recoveryDelayMs = 100;

/**
 * The connection to Redis. A Redis that went away may come back without its last writes, so the time between two losses is
 * an *era*: what was claimed in one era is not acted upon in the next (`guarded`), and everything that depends on
 * stored positions starts over (`onBack`). In a cluster, the loss of any node counts: the one that takes over from it may
 * lack its last writes.
 */
export class RedisLink {
  private currentEra = 0;
  private readonly backListeners: (() => void)[] = [];
  private readonly lostListeners: (() => void)[] = [];
  private closed = false;

  private constructor(
    readonly redis: RedisClient,
    private readonly logger: Logger,
  ) {
    redis.on('close', () => this.lost());
    redis.on('ready', () => this.back());
    onNodeLost(redis, () => {
      this.lost();
      setTimeout(() => this.back(), recoveryDelayMs).unref();
    });
  }

  /** Rejects when Redis does not answer. */
  static async open(url: string, logger: Logger): Promise<RedisLink> {
    const redis = openRedis(url, logger);
    await reached('Redis', redisHosts(url), untilReady(redis));
    const link = new RedisLink(redis, logger);
    try {
      await awaiting(`Redis at ${redisHosts(url)}: settings`, checkEviction(redis, logger));
      await awaiting(`Redis at ${redisHosts(url)}: scripts`, link.loadScripts());
    } catch (error) {
      link.close();
      throw error;
    }
    return link;
  }

  get era(): number {
    return this.currentEra;
  }

  /** Called when the connection is back after a loss. */
  onBack(listener: () => void): void {
    this.backListeners.push(listener);
  }

  /** Called when the connection breaks. */
  onLost(listener: () => void): void {
    this.lostListeners.push(listener);
  }

  async run(name: CommandName, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    try {
      return await this.evaluate(name, keys, args);
    } catch (error) {
      // The outcome of a command that timed out is unknown. A new era voids it.
      if (error instanceof Error && error.message === 'Command timed out') this.redis.disconnect(true);
      throw error;
    }
  }

  /** Runs only in the era in which the caller learnt the state that it acts on. */
  async guarded(era: number, name: CommandName, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    if (era !== this.currentEra) throw new LinkLost();
    return this.run(name, keys, args);
  }

  /**
   * Commands that do not depend on each other, in one round trip where that is possible. Rejects when one fails, unless
   * `replyTo` has a reply in place of its error.
   */
  async together(commands: readonly RedisCommand[], replyTo?: ReplyTo): Promise<unknown[]> {
    // The keys of a pipeline must lie on one node.
    if (isCluster(this.redis)) return Promise.all(commands.map((command) => this.callAlone(command, replyTo)));
    const pipeline = this.redis.pipeline();
    for (const [name, ...rest] of commands) pipeline.call(name, rest);
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([error, reply], n) =>
      error ? replyOrFailure(commands[n] as RedisCommand, error, replyTo) : reply,
    );
  }

  close(): void {
    this.closed = true;
    this.redis.disconnect();
  }

  private async callAlone(command: RedisCommand, replyTo: ReplyTo | undefined): Promise<unknown> {
    const [name, ...rest] = command;
    try {
      return await this.redis.call(name, rest);
    } catch (error) {
      return replyOrFailure(command, error as Error, replyTo);
    }
  }

  private async evaluate(name: CommandName, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    const { sha, source } = scripts[name];
    const era = this.currentEra;
    try {
      return (await this.redis.callBuffer('EVALSHA', [sha, keys.length, ...keys, ...args])) as Reply;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      // The command acts on state that was learnt in the era in which it was first sent.
      if (era !== this.currentEra) throw new LinkLost();
      return (await this.redis.callBuffer('EVAL', [source, keys.length, ...keys, ...args])) as Reply;
    }
  }

  private async loadScripts(): Promise<void> {
    const nodes = masterNodes(this.redis);
    await Promise.all(Object.values(scripts).flatMap(({ source }) => nodes.map((node) => node.script('LOAD', source))));
  }

  private lost(): void {
    this.currentEra++;
    for (const listener of this.lostListeners) listener();
  }

  private back(): void {
    if (this.closed) return;
    this.logger.info({ era: this.currentEra }, 'Redis is back');
    for (const listener of this.backListeners) listener();
  }
}
