/** The customer's WebSocket client of one channel, which reconnects whenever it is closed. */
import { WebSocket } from 'ws';
import type { History } from '../history.ts';

const defaultReconnectAfterMs = 50;
const handshakeTimeoutMs = 3_000;

export class SocketReceiver {
  onOpen = () => {};
  /** Codes with which sockets were closed. */
  closed: number[] = [];
  opened = 0;
  isStopped = false;
  /** Whether a connection that is opened from now on answers pings. */
  answersPings = true;
  /** Answers to pings wait until `releasePongs`. */
  holdsPongs = false;
  heldPongs: (() => void)[] = [];
  socket: WebSocket | undefined;
  history: History;
  channel: string;
  key: string;
  url: () => string;
  reconnectAfterMs: () => number;
  handshakeMs: number;

  /**
   * @param url returns the address of the next connection
   * @param patience `reconnectAfterMs`: returns how long to wait before the next attempt; `handshakeMs`: its time limit
   */
  constructor(
    history: History,
    channel: string,
    key: string,
    url: () => string,
    {
      reconnectAfterMs = () => defaultReconnectAfterMs,
      handshakeMs = handshakeTimeoutMs,
    }: { reconnectAfterMs?: () => number; handshakeMs?: number } = {},
  ) {
    this.history = history;
    this.channel = channel;
    this.key = key;
    this.url = url;
    this.reconnectAfterMs = reconnectAfterMs;
    this.handshakeMs = handshakeMs;
  }

  start() {
    this.connect();
    return this;
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Opens a socket. One that is already open stays open. */
  connect() {
    if (this.isStopped) return;
    const address = `${this.url().replace('http', 'ws')}/v2/notification/websocket-connect`;
    const socket = new WebSocket(address, ['wss', `service_${this.key}`], {
      handshakeTimeout: this.handshakeMs,
      autoPong: false,
    });
    this.socket = socket;
    if (this.answersPings) socket.on('ping', (data) => this.pong(() => socket.pong(data)));
    socket.on('open', () => {
      this.opened++;
      this.onOpen();
    });
    socket.on('message', (data) => this.history.deliver(this.channel, String(data), 'accepted'));
    socket.on('error', () => undefined);
    socket.once('close', (code) => {
      this.closed.push(code);
      // A second socket may have replaced this one.
      if (this.socket === socket) setTimeout(() => this.connect(), this.reconnectAfterMs());
    });
  }

  pong(answer: () => void) {
    if (this.holdsPongs) this.heldPongs.push(answer);
    else answer();
  }

  releasePongs() {
    this.holdsPongs = false;
    for (const answer of this.heldPongs.splice(0)) answer();
  }

  /** Answers the first ping; the next answers still wait. */
  releaseFirstPong() {
    this.heldPongs.shift()?.();
  }

  /** Ends the connection without a close frame, as when a network breaks. */
  cut() {
    this.socket?.terminate();
  }

  pause() {
    this.socket?.pause();
  }

  resume() {
    this.socket?.resume();
  }

  heal() {
    this.resume();
    this.releasePongs();
    if (!this.answersPings) this.cut();
    this.answersPings = true;
  }

  restart() {
    this.isStopped = false;
    this.connect();
  }

  stop() {
    this.isStopped = true;
    this.socket?.terminate();
  }
}
