import { KeyedSets } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import type { PushPermit } from '../queue/channel-queue.js';
import type { CloseCause } from './close-codes.js';

/** A socket or an open poll of this replica that has a channel. */
export interface Holder {
  channelId: string;
  conn: string;
  /** Fingerprint of the secret that opened it, if the holder lasts longer than a request. */
  secret?: string;
  /** There may be something to deliver. With a `permit` there is, and it may be sent without asking Redis. */
  wake(permit?: PushPermit): void;
  /** The holder must end. */
  close(cause: CloseCause): void;
  /** Redis was lost and is back: the holder must ask it whether it still has its channel, and at which position. */
  restart(): void;
}

/** The sockets and polls of this replica. */
@Injectable()
export class Holders {
  private readonly byConn = new Map<string, Holder>();
  private readonly byChannel = new KeyedSets<string, Holder>();
  private suspended = false;

  /**
   * Redis was lost, and the holds of this replica are being released: a socket that claims its channel now may lose it again
   * at once, and send everything once more.
   */
  get areSuspended(): boolean {
    return this.suspended;
  }

  suspend(): void {
    this.suspended = true;
  }

  resume(): void {
    this.suspended = false;
    for (const holder of this.all()) holder.restart();
  }

  add(holder: Holder): void {
    this.byConn.set(holder.conn, holder);
    this.byChannel.add(holder.channelId, holder);
  }

  remove(holder: Holder): void {
    this.byConn.delete(holder.conn);
    this.byChannel.delete(holder.channelId, holder);
  }

  wake(channelId: string, permit?: PushPermit): void {
    for (const holder of this.byChannel.get(channelId)) holder.wake(permit);
  }

  closeConn(conn: string, cause: CloseCause): void {
    this.byConn.get(conn)?.close(cause);
  }

  ofChannel(channelId: string): Holder[] {
    return [...this.byChannel.get(channelId)];
  }

  all(): Holder[] {
    return [...this.byConn.values()];
  }
}
