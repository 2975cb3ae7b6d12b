import { type Socket } from 'node:net';
import { encodeFrame, type StreamMessage } from '../codec/stream-message.js';
import { isSignalCode } from '../codec/code.js';
import { MalformedMessage, MessageTooLarge, NotConnected } from '../errors.js';
import { type Peer } from '../messages/peer.js';
import { type StreamCore } from './core.js';
import { type StreamEvent } from './events.js';
import { FrameReader } from './frame-reader.js';
import {
  abort,
  BASE_CAPABILITIES,
  type Capabilities,
  csm,
  ping,
  pong,
  readCsm,
  release,
  Signal,
  unknownCriticalOption,
} from './signals.js';

/** How long the last bytes, for example an Abort, may take to be sent before the socket is destroyed. */
const LINGER_MS = 2_000;

/** A peer that accepts less could not even receive an error. */
const SMALLEST_MESSAGE_BYTES = 64;

/** What a waiting message takes beside its bytes: without it, tiny ones could take a hundred times the limit. */
const WAITING_MESSAGE_BYTES = 256;

export interface ConnectionEvents {
  /** The first CSM of the peer has arrived. */
  opened(): void;
  /** Requests and responses, in order. */
  message(message: StreamMessage): void;
  /** Called once, however the connection ended. */
  closed(): void;
  /** Whether no request is in progress, so that the connection may be closed gracefully. */
  idle(): boolean;
}

/** One TCP or TLS connection: framing, signalling (RFC 8323 §5) and the limits of its peer. */
export class Connection {
  /** The application relies on the peer, so the connection is not dropped for being idle. */
  kept = false;
  /** The peer sent a Release, or we did: no new work. */
  releasing = false;
  /** Bytes of a message of the peer that is not complete. */
  incompleteBytes = 0;
  /** Bytes that wait for the peer, with what each message takes beside them. */
  waitingBytes = 0;
  /** According to the CSMs of the peer; undefined until the first has arrived. */
  private announced: Capabilities | undefined;
  private readonly reader: FrameReader;
  private readonly openedAtMs: number;
  private lastSeenAtMs: number;
  private messageBegunAtMs: number | undefined;
  private pingedAtMs: number | undefined;
  private blockedAtMs: number | undefined;
  /** Messages that the socket has not sent yet. */
  private waitingMessages = 0;
  private closed = false;
  private paused = false;
  private readonly countSent = (): void => {
    this.waitingMessages -= 1;
    this.countWaiting();
  };

  constructor(
    readonly peer: Peer,
    private readonly socket: Socket,
    private readonly core: StreamCore,
    private readonly events: ConnectionEvents,
  ) {
    this.reader = new FrameReader(core.messageBytesMax);
    this.openedAtMs = this.lastSeenAtMs = core.clock.nowMs();
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receiveChunk(chunk));
    socket.on('drain', () => (this.blockedAtMs = undefined));
    socket.on('error', () => this.endConnection());
    socket.on('close', () => {
      this.endConnection();
      core.buffered.delete(this);
      this.countWaiting();
    });
    core.buffered.add(this);
    this.write(csm(core.messageBytesMax));
  }

  get isOpen(): boolean {
    return this.announced !== undefined && !this.closed;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  get capabilities(): Capabilities {
    return this.announced ?? BASE_CAPABILITIES;
  }

  /** @throws NotConnected, MessageTooLarge, UnencodableMessage */
  send(message: StreamMessage): void {
    if (this.closed) throw new NotConnected();
    const bytes = encodeFrame(message);
    if (bytes.length > this.capabilities.messageBytesMax) throw new MessageTooLarge(bytes.length);
    this.core.count('message-sent');
    this.write(bytes);
  }

  /** Stops or continues reading: a peer whose messages are still being handled must wait. */
  setPaused(paused: boolean): void {
    if (this.paused === paused || this.closed) return;
    this.paused = paused;
    if (paused) this.socket.pause();
    else {
      // What the peer has sent meanwhile, for example a Pong, has not been read yet: its times begin again.
      this.lastSeenAtMs = this.core.clock.nowMs();
      this.messageBegunAtMs = undefined;
      if (this.pingedAtMs !== undefined) this.pingedAtMs = this.lastSeenAtMs;
      this.drain();
      if (!this.paused) this.socket.resume();
    }
  }

  /** Sends a Ping. If nothing arrives within `pongTimeoutMs`, `inspect` ends the connection. */
  checkAlive(): void {
    if (this.closed || this.pingedAtMs !== undefined) return;
    this.pingedAtMs = this.core.clock.nowMs();
    this.write(ping(this.core.tokens.next()));
  }

  /** Closes gracefully when nothing is in flight any more. */
  release(): void {
    if (this.closed || this.releasing) return;
    this.releasing = true;
    this.write(release());
    this.inspect();
  }

  abort(diagnostic: string, badCsmOption?: number): void {
    if (this.closed) return;
    this.core.count('abort-sent');
    this.close(abort(diagnostic, badCsmOption));
  }

  /** Called every second: closes half-open, slow, silent and unused connections, and pings a kept one that is quiet. */
  inspect(): void {
    const { clock, limits } = this.core;
    const now = clock.nowMs();
    const since = (atMs: number | undefined): number => (atMs === undefined ? 0 : now - atMs);
    if (this.closed) return;
    if (this.releasing && this.events.idle()) return this.close();
    if (this.announced === undefined && since(this.openedAtMs) > limits.handshakeTimeoutMs)
      return this.drop('connection-half-open');
    if (since(this.blockedAtMs) > limits.messageTimeoutMs) return this.drop('connection-slow');
    if (this.paused) return;
    if (since(this.messageBegunAtMs) > limits.messageTimeoutMs) return this.drop('connection-slow');
    if (since(this.pingedAtMs) > limits.pongTimeoutMs) return this.drop('connection-silent');
    const quietMs = since(this.lastSeenAtMs);
    if (this.kept && quietMs > limits.idleMs) this.checkAlive();
    if (!this.kept && quietMs > limits.unkeptIdleMs && this.events.idle()) {
      this.core.count('connection-idle');
      this.release();
    }
  }

  /** Ends the connection; nothing more is sent. */
  destroy(): void {
    this.socket.destroy();
    this.countWaiting();
    this.endConnection();
  }

  abortIncomplete(): void {
    this.core.count('message-too-large');
    this.abort('Too much is incomplete');
  }

  dropSlow(): void {
    this.drop('connection-slow');
  }

  private drop(event: StreamEvent): void {
    this.core.count(event);
    this.destroy();
  }

  private receiveChunk(chunk: Buffer): void {
    if (this.closed) return;
    this.lastSeenAtMs = this.core.clock.nowMs();
    this.pingedAtMs = undefined;
    this.reader.push(chunk);
    this.drain();
  }

  private drain(): void {
    try {
      while (!this.paused && !this.closed) {
        const message = this.reader.next();
        if (message === undefined) break;
        this.core.count('message-received');
        this.messageBegunAtMs = undefined;
        this.handle(message);
      }
    } catch (error) {
      if (error instanceof MessageTooLarge) this.core.count('message-too-large');
      else if (error instanceof MalformedMessage) this.core.count('message-malformed');
      else throw error;
      this.abort(error.message);
    }
    this.account();
  }

  /** Bytes of incomplete messages are counted for all connections together. */
  private account(): void {
    const bytes = this.closed ? 0 : this.reader.heldBytes;
    this.core.incompleteBytes += bytes - this.incompleteBytes;
    this.incompleteBytes = bytes;
    if (bytes === 0) this.messageBegunAtMs = undefined;
    else {
      this.messageBegunAtMs ??= this.core.clock.nowMs();
      this.core.limitIncompleteBytes();
    }
  }

  private handle(message: StreamMessage): void {
    if (this.announced === undefined && message.code !== Signal.Csm) {
      this.core.count('message-malformed');
      this.abort('The first message has to be a CSM');
    } else if (isSignalCode(message.code)) this.signal(message);
    else if (message.code !== 0) this.events.message(message);
  }

  private signal(message: StreamMessage): void {
    const unknown = unknownCriticalOption(message);
    if (unknown !== undefined) {
      this.core.count('message-malformed');
      this.abort(`Unknown option ${unknown}`, message.code === Signal.Csm ? unknown : undefined);
    } else if (message.code === Signal.Csm) this.receiveCsm(message);
    else if (message.code === Signal.Ping) this.write(pong(message.token));
    else if (message.code === Signal.Release) {
      this.releasing = true;
      this.inspect();
    } else if (message.code === Signal.Abort) {
      this.core.count('abort-received');
      this.destroy();
    }
  }

  private receiveCsm(message: StreamMessage): void {
    const first = this.announced === undefined;
    this.announced = readCsm(message, this.capabilities);
    if (this.announced.messageBytesMax < SMALLEST_MESSAGE_BYTES) this.abort('Max-Message-Size is too small');
    else if (first) this.events.opened();
  }

  private write(bytes: Buffer): void {
    if (this.closed || !this.socket.writable) return;
    this.waitingMessages += 1;
    if (!this.socket.write(bytes, this.countSent)) this.blockedAtMs ??= this.core.clock.nowMs();
    this.countWaiting();
    const isBlocked = this.blockedAtMs !== undefined;
    if (isBlocked && this.waitingBytes > this.core.limits.sendBufferBytesMax) this.dropSlow();
    else this.core.limitWaitingBytes();
  }

  /** A connection that has ended counts until its socket is closed, because its last bytes are still being sent. */
  private countWaiting(): void {
    const { socket } = this;
    const bytes = socket.destroyed ? 0 : socket.writableLength + this.waitingMessages * WAITING_MESSAGE_BYTES;
    this.core.waitingBytes += bytes - this.waitingBytes;
    this.waitingBytes = bytes;
  }

  /** Reads and discards bytes that still arrive: unread bytes would cause a TCP reset, which loses the last bytes that we sent. */
  private close(last?: Buffer): void {
    const { socket } = this;
    this.endConnection();
    socket.resume();
    if (last === undefined) socket.end();
    else socket.end(last);
    const timer = this.core.timers.schedule(LINGER_MS, () => socket.destroy());
    socket.once('close', () => timer.cancel());
  }

  private endConnection(): void {
    if (this.closed) return;
    this.closed = true;
    this.reader.clear();
    this.account();
    this.events.closed();
  }
}
