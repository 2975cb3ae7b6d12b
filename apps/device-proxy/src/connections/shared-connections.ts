import { type Address, connectionIdIn, type DtlsConnection } from '@lanyard/dtls';
import { StopDeadline } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import type { ConnectionSharing, DtlsHost } from '../transport/connection-sharing.js';
import { OwnedConnections } from './owned-connections.js';
import type { PeerMessage } from './peer-message.js';
import { PeerPort } from './peer-port.js';
import { RecordForwarder } from './record-forwarder.js';
import { ReplicaEvents } from './replica-events.js';
import { ReplicaSlots } from './replica-slots.js';

/**
 * DTLS connections with an id outlive their replica: their states are in Redis, records at the wrong replica are forwarded to
 * the owner, and another replica continues connections whose owner is gone. The listener calls this class.
 */
@Injectable()
export class SharedConnections implements ConnectionSharing {
  readonly connectionIdBytes: number;
  private host: DtlsHost | undefined;

  constructor(
    private readonly slots: ReplicaSlots,
    private readonly peerPort: PeerPort,
    private readonly owned: OwnedConnections,
    private readonly forwarder: RecordForwarder,
    private readonly events: ReplicaEvents,
    private readonly deadline: StopDeadline,
  ) {
    this.connectionIdBytes = slots.connectionIdBytes;
  }

  newConnectionId(): Buffer {
    return this.slots.newConnectionId();
  }

  async start(host: DtlsHost): Promise<void> {
    this.host = host;
    this.owned.start(host);
    this.forwarder.start(host);
    await this.slots.hold(await this.peerPort.open((message) => this.receiveFromPeer(message)));
  }

  async stop(): Promise<void> {
    await this.deadline.step('DTLS connections', () => this.owned.stop());
    await this.deadline.step('slot of connection ids', () => this.slots.release());
    await this.peerPort.close();
  }

  opened(connection: DtlsConnection): void {
    if (connection.connectionId) this.owned.opened(connection.id);
  }

  closed(connection: DtlsConnection): void {
    this.owned.closed(connection.id);
  }

  whenSaved(id: string): Promise<void> | undefined {
    return this.owned.whenSaved(id);
  }

  whenStoredLongEnough(id: string): Promise<void> | undefined {
    return this.owned.whenStoredLongEnough(id);
  }

  /** Does not resume a connection whose records may reach another replica that could not forward them. */
  async resume(id: string): Promise<boolean> {
    return (this.peerPort.isOpen || this.slots.isAlone) && (await this.forwarder.resume(id));
  }

  receiveUnknown(connectionId: Buffer, datagram: Buffer, from: Address): void {
    this.forwarder.receiveUnknown(connectionId, datagram, from);
  }

  admits(datagram: Buffer, from: Address): boolean {
    if (!this.owned.hasDoubts) return true;
    const id = this.idIn(datagram);
    if (id === undefined || !this.owned.isDoubted(id)) return true;
    this.forwarder.receiveDoubted(id, datagram, from);
    return false;
  }

  maySend(id: string): boolean {
    return !this.owned.isDoubted(id);
  }

  sendThroughAnother(datagram: Buffer, to: Address): boolean {
    if (to.via === undefined) return false;
    const { address, port, via } = to;
    const sent = this.peerPort.send(via, { kind: 'answer', address: { address, port }, payload: datagram });
    if (sent) this.events.count('answered-through-another');
    return sent;
  }

  private idIn(datagram: Buffer): string | undefined {
    return connectionIdIn(datagram, this.connectionIdBytes)?.toString('hex');
  }

  private receiveFromPeer({ kind, owner, address, payload }: PeerMessage): void {
    if (kind === 'not-here') return this.receiveSentBack(payload, address);
    if (kind === 'answer') {
      this.events.count('answered-for-another');
      this.host?.send(payload, address);
      return;
    }
    this.events.count('forwarded-here');
    this.host?.receive(payload, { ...address, via: owner });
  }

  private receiveSentBack(datagram: Buffer, from: Address): void {
    const id = this.idIn(datagram);
    if (id !== undefined) this.forwarder.receiveDoubted(id, datagram, from);
  }
}
