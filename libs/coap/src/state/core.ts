import { encodeEmpty } from '../codec/encode.js';
import { type CoapMessage } from '../codec/message.js';
import { Transmission, type TransmissionOutcome, type TransmissionParameters } from '../peer/transmission.js';
import { NotConnected } from '../errors.js';
import { AnswerMemory } from '../peer/answer-memory.js';
import { EMPTY_ACK, type KnownMarks } from '../peer/answer-ring.js';
import { type PeerState } from '../peer/peer-state.js';
import { PeerTable } from '../peer/peer-table.js';
import { type Peer } from '../messages/peer.js';
import { COAP_EVENTS, type CoapEvent } from './events.js';
import { InFlightTable } from './in-flight.js';
import { type CoapLimits, DEFAULT_LIMITS } from '../limits.js';
import { type CoapDatagramEndpointOptions } from './options.js';
import { SharedCore } from './shared-core.js';

/** The state that all parts of one endpoint share: time, limits, peers, and sending. */
export class EndpointCore extends SharedCore<CoapEvent, CoapDatagramEndpointOptions, CoapLimits> {
  readonly random: () => number;
  readonly peers: PeerTable;
  readonly inFlight: InFlightTable;
  readonly answers: AnswerMemory;
  /** When true, nothing more is sent. */
  closed = false;
  /** Counter for non-confirmable answers to unknown peers. */
  private unknownPeerMessageId: number;

  constructor(options: CoapDatagramEndpointOptions) {
    super(options, { ...DEFAULT_LIMITS, ...options.limits }, COAP_EVENTS);
    this.random = options.random ?? Math.random;
    this.peers = new PeerTable(this.limits.unkeptPeersMax, this.clock, this.timers, (state) =>
      this.inFlight.moveToUnknownPeers(state),
    );
    this.inFlight = new InFlightTable(this.limits);
    const unknownPeers = this.table<string, never>({
      entriesMax: this.limits.unknownPeerAnswersMax,
      idleMs: this.limits.unknownPeerAnswersMs,
    });
    this.answers = new AnswerMemory(unknownPeers, this.limits.answersPerPeerMax, this.clock);
    this.unknownPeerMessageId = Math.floor(this.random() * 65_536) & 0xffff;
  }

  send(peer: Peer, bytes: Buffer): void {
    this.count('datagram-sent');
    this.options.transport.send(bytes, peer);
  }

  /** The state with which to send a request. @throws NotConnected, QueueFull */
  reach(peer: Peer): PeerState {
    if (!this.options.transport.reaches(peer)) throw new NotConnected();
    return this.peers.obtain(peer);
  }

  /** Acknowledges a message without a response, and remembers this for retransmissions of the message. */
  acknowledge(message: CoapMessage, peer: Peer, state: PeerState | undefined, marks?: KnownMarks): void {
    if (this.closed) return;
    this.answers.remember(message, peer, state, EMPTY_ACK, marks);
    if (message.type === 'CON') this.send(peer, encodeEmpty('ACK', message.messageId));
  }

  /** Rejects a message with a Reset, and remembers this for retransmissions of the message. */
  reset(message: CoapMessage, peer: Peer, state: PeerState | undefined): void {
    if (this.closed) return;
    const bytes = encodeEmpty('RST', message.messageId);
    this.answers.remember(message, peer, state, bytes);
    this.send(peer, bytes);
  }

  messageIdFor(state: PeerState | undefined): number {
    if (state !== undefined) return state.nextMessageId(this.clock.nowMs());
    return (this.unknownPeerMessageId = (this.unknownPeerMessageId + 1) & 0xffff);
  }

  /** Size of the blocks that are sent to the peer. */
  blockBytes(peer: Peer): number {
    return this.options.radioOf?.(peer)?.blockBytes ?? this.limits.blockBytes;
  }

  /** Sends a confirmable message until it is acknowledged. */
  transmit(
    state: PeerState,
    messageId: number,
    bytes: Buffer,
    parameters: TransmissionParameters,
    settled: (outcome: TransmissionOutcome) => void,
  ): Transmission {
    const host = {
      timers: this.timers,
      random: this.random,
      send: (datagram: Buffer, isRetransmission: boolean) => {
        if (isRetransmission) this.count('retransmission');
        this.send(state.peer, datagram);
      },
      release: (one: Transmission) => {
        state.endTransmission(one);
      },
    };
    const { ackTimeoutMs = this.ackTimeoutMs(state.peer), maxRetransmit } = parameters;
    const transmission = new Transmission(messageId, bytes, { ackTimeoutMs, maxRetransmit }, host, settled);
    state.beginTransmission(transmission);
    transmission.start();
    return transmission;
  }

  private ackTimeoutMs(peer: Peer): number | undefined {
    return this.options.radioOf?.(peer)?.ackTimeoutMs ?? this.options.ackTimeoutMs;
  }
}
