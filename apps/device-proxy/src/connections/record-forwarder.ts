import { type Address, InvalidState, TooManyConnections } from '@lanyard/dtls';
import { type Clock, CLOCK, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Throttle } from '../events/throttle.js';
import type { DtlsHost } from '../transport/connection-sharing.js';
import { ConnectionStore, type TakeOverResult } from './connection-store.js';
import { PeerPort } from './peer-port.js';
import { OwnedConnections } from './owned-connections.js';
import { LookupResults } from './lookup-results.js';
import { lookupsPerSecond, waitingBytesMax, waitingConnectionsMax, waitingDatagramsMax } from './limits.js';
import { ReplicaEvents } from './replica-events.js';
import { ReplicaSlots } from './replica-slots.js';

const reportMs = 60_000;

/** Stands for the address of a device that has sent nothing yet: then only the limit for all connections counts. */
const anywhere: Address = { address: '', port: 0 };

interface WaitingRecord {
  datagram: Buffer;
  from: Address;
}

/**
 * Records whose connection is not here, or may no longer be here. They are forwarded to the owner of the connection, or wait
 * until Redis names the owner; if the owner is gone, this replica takes the connection over. A record is never forwarded twice.
 */
@Injectable()
export class RecordForwarder {
  /** By connection id. A connection has an entry, which may be empty, while it is being looked up or compared. */
  private readonly waiting = new Map<string, WaitingRecord[]>();
  private readonly results: LookupResults;
  private readonly reports: Throttle;
  private host: DtlsHost | undefined;
  private waitingBytes = 0;
  private lookups = 0;
  private lookupsSinceMs = -Infinity;

  constructor(
    private readonly store: ConnectionStore,
    private readonly owned: OwnedConnections,
    private readonly peerPort: PeerPort,
    private readonly slots: ReplicaSlots,
    private readonly events: ReplicaEvents,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.results = new LookupResults(clock);
    this.reports = new Throttle(clock, reportMs);
  }

  start(host: DtlsHost): void {
    this.host = host;
  }

  receiveUnknown(connectionId: Buffer, datagram: Buffer, from: Address): void {
    const id = connectionId.toString('hex');
    if (!this.waiting.has(id) && this.tryWithoutLookup(id, connectionId, datagram, from)) return;
    this.hold(id, { datagram, from }, () => this.lookUp(id));
  }

  /**
   * The connection is here, but another replica may have taken it over. Or a replica has sent the record back because it does not
   * have the connection, which this replica may have taken over meanwhile.
   */
  receiveDoubted(id: string, datagram: Buffer, from: Address): void {
    this.hold(id, { datagram, from }, async () => {
      const isHere = (await this.owned.confirm(id)) && this.host?.connection(id) !== undefined;
      return isHere ? this.deliver(id) : this.lookUp(id);
    });
  }

  /** False also when there is no room here: then another replica may take the connection. */
  async resume(id: string): Promise<boolean> {
    const isHere = (): boolean => this.host?.connection(id) !== undefined;
    // A record of the connection has arrived and started a lookup: it is not taken over twice.
    if (isHere() || this.waiting.has(id)) return isHere();
    this.waiting.set(id, []);
    await this.resolve(id, () => this.takeOver(id, { leaveToOthers: this.host?.hasRoomFor(anywhere) !== true }));
    return isHere();
  }

  /**
   * Forwards or drops the record without asking Redis: the owner was looked up a moment ago, or the id names a replica, which
   * sends the record back if it does not have the connection. False: Redis must be asked.
   */
  private tryWithoutLookup(id: string, connectionId: Buffer, datagram: Buffer, from: Address): boolean {
    const known = this.results.ownerOf(id);
    if (known === 'none') this.events.count('unknown');
    if (known === 'none' || from.via !== undefined) return known === 'none';
    const owner = known ?? this.slots.makerOf(connectionId)?.owner;
    return owner !== undefined && this.forward(owner, datagram, from);
  }

  private forward(owner: string, datagram: Buffer, from: Address): boolean {
    const sent = this.peerPort.send(owner, { kind: 'record', address: from, payload: datagram });
    if (sent) this.events.count('forwarded');
    return sent;
  }

  /** Makes the record wait. The first one starts the work that decides about all records that wait for the connection. */
  private hold(id: string, { datagram, from }: WaitingRecord, work: () => Promise<void>): void {
    const records = this.waiting.get(id);
    const hasRoom =
      this.waitingBytes + datagram.length <= waitingBytesMax &&
      (records
        ? records.length < waitingDatagramsMax
        : this.waiting.size < waitingConnectionsMax && this.admitsLookup());
    if (!hasRoom) return this.events.count('dropped');
    this.waitingBytes += datagram.length;
    const record = { datagram: Buffer.from(datagram), from };
    if (records) return void records.push(record);
    this.waiting.set(id, [record]);
    void this.resolve(id, work);
  }

  /** Anyone can send records with invented ids, which must not keep Redis busy. */
  private admitsLookup(): boolean {
    const now = this.clock.now();
    // The absolute difference, so that a new second also begins after the clock was set back.
    if (Math.abs(now - this.lookupsSinceMs) >= 1_000) {
      this.lookupsSinceMs = now;
      this.lookups = 0;
    }
    if (this.lookups >= lookupsPerSecond) return false;
    this.lookups++;
    return true;
  }

  /** Runs the work that decides about the waiting records, and drops those that still wait after it. Never rejects. */
  private async resolve(id: string, work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (err) {
      if (this.reports.isDue('failed'))
        this.logger.warn({ err }, 'records of DTLS connections dropped: Redis did not return their replicas');
    }
    for (const _ of this.dequeueAll(id)) this.events.count('dropped');
    this.waiting.delete(id);
  }

  /** Removes and returns the records that wait for the connection. */
  private dequeueAll(id: string): WaitingRecord[] {
    const records = this.waiting.get(id) ?? [];
    this.waiting.set(id, []);
    for (const { datagram } of records) this.waitingBytes -= datagram.length;
    return records;
  }

  private async lookUp(id: string): Promise<void> {
    await this.takeOver(id, { leaveToOthers: this.areForwarded(id) || !this.hasRoomFor(id) });
  }

  private async takeOver(id: string, { leaveToOthers }: { leaveToOthers: boolean }): Promise<void> {
    const result = await this.store.takeOver(id, { leaveToOthers });
    if (result.kind === 'taken') await this.continue(id, result);
    else if (result.kind === 'unowned') await this.leaveToOthers(id);
    else if (result.kind === 'elsewhere') this.forwardWaiting(id, result.owner);
    else {
      // Another replica may have the key that opens it.
      if (result.kind === 'unreadable') await this.store.release({ id, epoch: result.epoch });
      this.discard(id, result);
    }
  }

  private areForwarded(id: string): boolean {
    return (this.waiting.get(id) ?? []).every(({ from }) => from.via !== undefined);
  }

  private hasRoomFor(id: string): boolean {
    return (this.waiting.get(id) ?? []).every(({ from }) => this.host?.hasRoomFor(from) === true);
  }

  /** Leaves the connection to the replica that the device reaches, unless the device has sent a message here meanwhile. */
  private async leaveToOthers(id: string): Promise<void> {
    if (this.areForwarded(id)) for (const record of this.dequeueAll(id)) this.sendBack(record);
    else if (this.hasRoomFor(id)) await this.lookUp(id);
    else this.reportFull();
  }

  /** The records are dropped: a replica that has room, or this one later, can continue the connection. */
  private reportFull(): void {
    if (this.reports.isDue('full'))
      this.logger.warn(
        'DTLS connections of stopped replicas not taken over: this replica has reached its connection limit',
      );
  }

  private discard(id: string, result: TakeOverResult): void {
    if (result.kind === 'unreadable') {
      this.events.count('unreadable');
      if (this.reports.isDue('unreadable'))
        this.logger.warn(
          { err: result.error },
          'the state of a DTLS connection cannot be read: its device must connect again',
        );
    }
    this.results.set(id, 'none');
    for (const _ of this.dequeueAll(id)) this.events.count('unknown');
  }

  private forwardWaiting(id: string, owner: string): void {
    this.results.set(id, owner);
    for (const record of this.dequeueAll(id)) {
      const { datagram, from } = record;
      if (from.via !== undefined) this.sendBack(record);
      else if (!this.forward(owner, datagram, from)) this.events.count('dropped');
    }
  }

  /** The sender then looks for the owner itself. */
  private sendBack({ datagram, from: { via = '', address, port } }: WaitingRecord): void {
    this.events.count('misdirected');
    this.peerPort.send(via, { kind: 'not-here', address: { address, port }, payload: datagram });
  }

  private async continue(id: string, result: Extract<TakeOverResult, { kind: 'taken' }>): Promise<void> {
    const { epoch, saved, takeOvers } = result;
    const restored = this.restore(id, result);
    if (restored === 'full') {
      await this.store.release({ id, epoch });
      return this.reportFull();
    }
    if (!restored) {
      await this.store.remove({ id, epoch });
      return this.discard(id, { kind: 'none' });
    }
    this.events.count('taken');
    this.results.delete(id);
    this.owned.takenOver(id, epoch, saved.state);
    this.logger.debug({ connection: id, epoch, takeOvers }, 'DTLS connection taken over');
    this.deliver(id);
    const connection = this.host?.connection(id);
    if (connection && connection.receivedMax > saved.state.receivedMax) this.host?.arrived(id);
  }

  private restore(id: string, { saved, takeOvers }: Extract<TakeOverResult, { kind: 'taken' }>): boolean | 'full' {
    try {
      if (this.host?.restore(saved, takeOvers, this.waiting.get(id)?.at(-1)?.from) === true) return true;
    } catch (error) {
      // Other connections have filled the room since Redis was asked.
      if (error instanceof TooManyConnections) return 'full';
      if (!(error instanceof InvalidState)) throw error;
    }
    this.events.count('refused');
    return false;
  }

  private deliver(id: string): void {
    for (const { datagram, from } of this.dequeueAll(id)) this.host?.receive(datagram, from);
  }
}
