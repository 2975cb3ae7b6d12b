import { createHash } from 'node:crypto';

/** Keys of one shard share a hash tag, so that one command may touch them all in a Redis cluster. */
export class ShardKeys {
  readonly base: string;

  constructor(
    prefix: string,
    readonly shard: number,
  ) {
    this.base = `${prefix}{s${shard}}:`;
  }

  get positions(): string {
    return `${this.base}positions`;
  }

  get ready(): string {
    return `${this.base}ready`;
  }

  /** Set of the channels with drops that are not reported yet. */
  get dropped(): string {
    return `${this.base}dropped`;
  }

  /** Set of the replicas that hold channels, or did. */
  get owners(): string {
    return `${this.base}owners`;
  }

  get expiry(): string {
    return `${this.base}expiry`;
  }

  readyOf(owner: string): string {
    return `${this.base}ready:${owner}`;
  }

  channel(channelId: string): string {
    return `${this.base}m:${channelId}`;
  }

  queue(channelId: string): string {
    return `${this.base}q:${channelId}`;
  }
}

/** Names of everything the dispatcher keeps in Redis. */
export class Keys {
  readonly shards: readonly ShardKeys[];

  constructor(
    private readonly prefix: string,
    shardCount: number,
  ) {
    this.shards = Array.from({ length: shardCount }, (_, shard) => new ShardKeys(prefix, shard));
  }

  of(channelId: string): ShardKeys {
    return this.shards[this.shardOf(channelId)] as ShardKeys;
  }

  shardOf(channelId: string): number {
    return createHash('md5').update(channelId).digest().readUInt32BE(0) % this.shards.length;
  }

  /** Set of the channels of an account. */
  account(accountId: string): string {
    return `${this.prefix}account:${accountId}`;
  }

  /** Hash: replica -> beats. */
  get replicas(): string {
    return `${this.prefix}replicas`;
  }

  get shardCount(): string {
    return `${this.prefix}shards`;
  }

  /** Pub/sub channel on which a replica listens. */
  bus(owner: string): string {
    return `${this.prefix}bus:${owner}`;
  }
}
