import { WebSocket } from 'ws';
import type { EventQueue } from './event-queue.js';
import { eventsOf, type LanyardEvent } from './events.js';
import type { NotificationMessage } from './generated/api.js';
import { afterSilence } from './silence.js';

export interface ConnectionLimits {
  /** The connection is considered dead when the service has been silent for this long. */
  silenceMaxMs: number;
  /** How long the client may leave the connection unread while the service waits. */
  pausedMaxMs: number;
}

/** How a connection ended, or why there was none. */
export interface ConnectionEnd {
  /** 1006 when the connection ended without a close frame. */
  code: number;
  /** Reason in the close frame; '' without one. */
  reason: string;
  /** HTTP status of a handshake that was refused. */
  status: number | undefined;
  openMs: number;
  error: Error | undefined;
}

const handshakeTimeoutMs = 20_000;
/** How long the service may take to answer a close frame; then the socket is destroyed. */
const closeTimeoutMs = 5_000;
const closedByClient = 1000;

/** The service pings after 16 messages at the latest, and never has more than this many under way. */
const messagesPerPingMax = 64;

/**
 * One WebSocket: queues incoming events while the queue has room.
 *
 * The answer to a ping, which `ws` sends, confirms all messages before the ping, and the service deletes them. Reading
 * therefore stops behind a ping: the client alone then has the messages that it read, and the service still has the others.
 * While reading is paused, later pings are not read either, and the service would soon end the connection and deliver
 * its messages twice: the client ends the connection before that.
 */
export class Connection {
  /** Rejects when a message cannot be understood, or `onOpen` throws. */
  readonly ended: Promise<ConnectionEnd>;
  private readonly socket: WebSocket;
  private timer: NodeJS.Timeout | undefined;
  private isPaused = false;
  /** When reading was paused or resumed. */
  private turnedAtMs = performance.now();
  /** How long the next pause may last: pauses use this time up, and time without a pause restores it. */
  private pauseLeftMs: number;
  /** Received since the last ping, so not confirmed: they are delivered again over the next connection. */
  private unanswered = { messages: 0, events: 0 };

  constructor(
    { url, key, onOpen }: { url: string; key: string; onOpen: () => void },
    private readonly queue: EventQueue<LanyardEvent>,
    private readonly limits: ConnectionLimits,
  ) {
    this.pauseLeftMs = limits.pausedMaxMs;
    this.socket = new WebSocket(url, ['wss', `service_${key}`], { handshakeTimeout: handshakeTimeoutMs });
    this.socket.on('ping', () => this.onPing());
    this.ended = this.follow(onOpen);
  }

  /** Closes the connection. The service delivers unconfirmed messages again. */
  close(): void {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.socket.terminate(), closeTimeoutMs);
    this.socket.close(closedByClient);
    // The close frame of the service arrives behind messages that have not been read.
    if (this.isPaused) this.socket.resume();
  }

  private follow(onOpen: () => void): Promise<ConnectionEnd> {
    const { socket } = this;
    const resume = (): void => this.resume();
    let openedAtMs: number | undefined;
    let status: number | undefined;
    let error: Error | undefined;
    return new Promise((resolve, reject) => {
      // What `onOpen` or a message causes must not be thrown out of the socket, because nothing could catch it.
      const attempt = (act: () => void): void => {
        try {
          act();
        } catch (cause) {
          reject(cause as Error);
          socket.terminate();
        }
      };
      this.queue.on('taken', resume);
      socket.on('open', () => {
        openedAtMs = performance.now();
        this.restartTimer();
        attempt(onOpen);
      });
      socket.on('message', (data) => attempt(() => this.onMessage(String(data))));
      socket.on('unexpected-response', (_, response) => {
        status = response.statusCode;
        socket.terminate();
      });
      socket.on('error', (cause) => (error = cause));
      socket.on('close', (code, reason) => {
        clearTimeout(this.timer);
        this.queue.off('taken', resume);
        const openMs = openedAtMs === undefined ? 0 : performance.now() - openedAtMs;
        resolve({ code, reason: String(reason), status, openMs, error });
      });
    });
  }

  private onMessage(text: string): void {
    // No more pings are answered, so the service delivers the message again.
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.restartTimer();
    const events = eventsOf(JSON.parse(text) as NotificationMessage);
    for (const event of events) this.queue.put(event);
    this.unanswered.messages++;
    this.unanswered.events += events.length;
    if (this.unanswered.messages >= messagesPerPingMax) this.pauseWhenFull();
  }

  private onPing(): void {
    this.unanswered = { messages: 0, events: 0 };
    this.restartTimer();
    this.pauseWhenFull();
  }

  private restartTimer(): void {
    if (this.isPaused || this.socket.readyState !== WebSocket.OPEN) return;
    clearTimeout(this.timer);
    this.timer = afterSilence(this.limits.silenceMaxMs, () => this.socket.terminate());
  }

  private pauseWhenFull(): void {
    if (this.isPaused || !this.queue.isFull || this.socket.readyState !== WebSocket.OPEN) return;
    this.isPaused = true;
    this.socket.pause();
    // Short pauses add up: several pings may wait in the data that has not been read.
    this.pauseLeftMs = Math.min(this.limits.pausedMaxMs, this.pauseLeftMs + this.recordTurn());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.giveUp(), this.pauseLeftMs);
  }

  private resume(): void {
    if (!this.isPaused || this.queue.isFull) return;
    this.isPaused = false;
    this.pauseLeftMs -= this.recordTurn();
    this.socket.resume();
    this.restartTimer();
  }

  /** Records that reading is paused or resumed now. Returns the time in ms since it was resumed or paused before. */
  private recordTurn(): number {
    const beforeMs = this.turnedAtMs;
    this.turnedAtMs = performance.now();
    return this.turnedAtMs - beforeMs;
  }

  private giveUp(): void {
    this.queue.dropNewest(this.unanswered.events);
    this.socket.terminate();
  }
}
