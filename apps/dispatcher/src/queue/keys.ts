import { createHash } from 'node:crypto';

/** Keys of one shard share a hash tag, so that one command may touch them all in a Redis cluster. */
export class ShardKeys {
  readonly base: string;
  /** Never exists, so that while a slot moves, no node has all keys of a command, and no command runs with only some of them. */
  readonly nothing: string;
  readonly positions: string;
  readonly ready: string;
  readonly expiry: string;
  /** Set of the channels with drops that are not reported yet. */
  readonly dropped: string;
  /** Set of the replicas that hold channels, or did. */
  readonly owners: string;
  /** Sorted set, all of one score: `replica channel` of every channel that is held. */
  readonly held: string;
  /** Sorted set like `held`: channels whose holder has to continue reading. */
  readonly woken: string;
  private readonly shared: readonly string[];

  constructor(
    prefix: string,
    readonly shard: number,
  ) {
    this.base = `${prefix}{s${shard}}:`;
    const names = ['nothing', 'positions', 'ready', 'expiry', 'dropped', 'owners', 'held', 'woken'] as const;
    // The order is that in which the commands declare them.
    this.shared = names.map((name) => `${this.base}${name}`);
    [this.nothing, this.positions, this.ready, this.expiry] = this.shared as [string, string, string, string];
    [this.dropped, this.owners, this.held, this.woken] = this.shared.slice(4) as [string, string, string, string];
  }

  /** The keys that a command on these channels declares: all that it may touch (`prelude.lua`). */
  forCommand(...channelIds: string[]): string[] {
    const keys = [...this.shared];
    for (const channelId of channelIds) keys.push(this.channel(channelId), this.queue(channelId));
    return keys;
  }

  channel(channelId: string): string {
    return `${this.base}m:${channelId}`;
  }

  queue(channelId: string): string {
    return `${this.base}q:${channelId}`;
  }

  /** List of the last messages that were sent. No command touches it. */
  last(channelId: string): string {
    return `${this.base}l:${channelId}`;
  }
}

/** Arguments of ZRANGEBYLEX on `held` and `woken` for the members of one replica: '!' is the character after the blank. */
export const rangeOf = (owner: string): [least: string, most: string] => [`[${owner} `, `(${owner}!`];

/** The channel that a member of `held` or `woken` names. */
export const channelIn = (member: string): string => member.slice(member.lastIndexOf(' ') + 1);

/** Names of everything the dispatcher keeps in Redis. */
export class Keys {
  readonly shards: readonly ShardKeys[];

  constructor(
    private readonly prefix: string,
    shardCount: number,
  ) {
    this.shards = Array.from({ length: shardCount }, (_, shard) => new ShardKeys(prefix, shard));
  }

  ofChannel(channelId: string): ShardKeys {
    return this.shards[this.shardOf(channelId)] as ShardKeys;
  }

  /** The keys that a command on this channel declares. */
  forCommand(channelId: string): string[] {
    return this.ofChannel(channelId).forCommand(channelId);
  }

  shardOf(channelId: string): number {
    return createHash('md5').update(channelId).digest().readUInt32BE(0) % this.shards.length;
  }

  /** Set of the channels of an account. */
  account(accountId: string): string {
    return `${this.prefix}account:${accountId}`;
  }

  /** Hash: replica -> heartbeats. */
  get replicas(): string {
    return `${this.prefix}replicas`;
  }

  /** Hash: topic:partition -> offset up to which it is read again. */
  get replay(): string {
    return `${this.prefix}replay`;
  }

  get shardCount(): string {
    return `${this.prefix}shards`;
  }

  /** Pub/sub channel on which a replica listens. */
  bus(owner: string): string {
    return `${this.prefix}bus:${owner}`;
  }
}
