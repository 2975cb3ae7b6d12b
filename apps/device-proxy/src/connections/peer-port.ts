import { isIPv6 } from 'node:net';
import { UdpSocket } from '@lanyard/coap';
import { ReplayWindow } from '@lanyard/dtls';
import { type Clock, CLOCK, CONFIG, deriveKeys, type Logger, LOGGER, setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { parseAddress } from '../transport/peer-address.js';
import { peerMessageAgeMs, peerSendersMax } from './limits.js';
import { decodePeerMessage, encodePeerMessage, type PeerKey, type PeerMessage } from './peer-message.js';
import { ReplicaEvents } from './replica-events.js';
import { ReplicaSlots } from './replica-slots.js';

/** Part of the key. Keeps an earlier name, so that replicas of both versions understand each other during an upgrade. */
const purpose = 'device-proxy inner port';

/**
 * Requested size; the kernel may grant less. A forwarded datagram and its headers normally fit into an Ethernet frame,
 * because devices send larger payloads in blocks.
 */
const receiveBufferBytes = 4 * 1024 * 1024;

/**
 * The UDP port on which replicas pass each other records of devices, and the answers to those. Every message is authenticated
 * with a key of the service, and accepted only once.
 */
@Injectable()
export class PeerPort {
  private readonly keys: readonly PeerKey[];
  private readonly config: DeviceProxyConfig['peerPort'];
  /** By sender, in the order in which the senders were last seen, the earliest first. */
  private readonly windows = new Map<string, ReplayWindow>();
  private socket: UdpSocket | undefined;
  private sequence = 0;
  private onMessage: (message: PeerMessage) => void = () => undefined;

  constructor(
    @Inject(CONFIG) { peerPort, secrets }: Pick<DeviceProxyConfig, 'peerPort' | 'secrets'>,
    private readonly slots: ReplicaSlots,
    private readonly events: ReplicaEvents,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.config = peerPort;
    this.keys = deriveKeys(secrets.encryptionKey, purpose);
  }

  /** Returns where other replicas reach this one; undefined when the configuration has no peer port. */
  async open(onMessage: (message: PeerMessage) => void): Promise<string | undefined> {
    if (!this.config) return undefined;
    const { host, port } = this.config;
    this.onMessage = onMessage;
    this.socket = new UdpSocket({
      host,
      port,
      receiveBufferBytes,
      onDatagram: (bytes) => this.receive(bytes),
      onError: (err) => this.logger.warn({ err }, 'peer port'),
    });
    const bound = await this.socket.bind();
    const address = isIPv6(host) ? `[${host}]:${bound.port}` : `${host}:${bound.port}`;
    this.logger.info({ address }, 'records of devices are forwarded between replicas');
    return address;
  }

  get isOpen(): boolean {
    return this.socket !== undefined;
  }

  async close(): Promise<void> {
    await this.socket?.close();
  }

  /** False when there is no way to reach the replica. The message may be lost. */
  send(to: string, message: Pick<PeerMessage, 'kind' | 'address' | 'payload'>): boolean {
    const peerPortAddress = this.slots.replica(to)?.peerPortAddress;
    const [first] = this.keys;
    if (!this.socket || !first || peerPortAddress === undefined) return false;
    this.sequence++;
    const whole = { ...message, owner: this.slots.owner, sequence: this.sequence, timeMs: this.clock.now() };
    const { host, port } = parseAddress(peerPortAddress);
    this.socket.send(encodePeerMessage(whole, first), host, port);
    return true;
  }

  private receive(bytes: Buffer): void {
    const message = decodePeerMessage(bytes, this.keys);
    if (!message) this.events.count('peer-forged');
    else if (Math.abs(this.clock.now() - message.timeMs) > peerMessageAgeMs) this.events.count('peer-late');
    else if (!this.isFirst(message)) this.events.count('peer-replayed');
    else this.onMessage(message);
  }

  /** Called for authentic messages only: their senders are replicas. */
  private isFirst({ owner, sequence }: PeerMessage): boolean {
    const window = this.windows.get(owner) ?? new ReplayWindow();
    setBounded(this.windows, owner, window, peerSendersMax);
    if (!window.isFresh(sequence)) return false;
    window.mark(sequence);
    return true;
  }
}
