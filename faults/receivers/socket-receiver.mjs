/** The customer's WebSocket client of one channel: it connects again whenever it is closed. */
import { WebSocket } from 'ws';

const usualAgainMs = 50;
const handshakeTimeoutMs = 3_000;

export class SocketReceiver {
  onOpen = () => {};
  /** Codes with which sockets were closed. @type {number[]} */
  closed = [];
  opened = 0;
  isStopped = false;
  /** Answers pings. */
  echo = true;
  /** Answers to pings wait until `releasePongs`. */
  holdsPongs = false;
  /** @type {(() => void)[]} */
  heldPongs = [];
  /** @type {WebSocket | undefined} */
  socket;

  /**
   * @param {import('../history.mjs').History} history @param {string} channel @param {string} key
   * @param {() => string} url where to connect next
   * @param {{ againMs?: () => number, handshakeMs?: number }} [patience] `againMs`: how long it waits before it connects again
   */
  constructor(history, channel, key, url, { againMs = () => usualAgainMs, handshakeMs = handshakeTimeoutMs } = {}) {
    this.history = history;
    this.channel = channel;
    this.key = key;
    this.url = url;
    this.againMs = againMs;
    this.handshakeMs = handshakeMs;
  }

  start() {
    this.connect();
    return this;
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    if (this.isStopped) return;
    const address = `${this.url().replace('http', 'ws')}/v2/notification/websocket-connect`;
    const socket = new WebSocket(address, ['wss', `service_${this.key}`], {
      handshakeTimeout: this.handshakeMs,
      autoPong: false,
    });
    this.socket = socket;
    if (this.echo) socket.on('ping', (data) => this.pong(() => socket.pong(data)));
    socket.on('open', () => {
      this.opened++;
      this.onOpen();
    });
    socket.on('message', (data) => this.history.deliver(this.channel, String(data), 'accepted'));
    socket.on('error', () => undefined);
    socket.once('close', (code) => {
      this.closed.push(code);
      // A second socket may have taken this one's place.
      if (this.socket === socket) setTimeout(() => this.connect(), this.againMs());
    });
  }

  /** @param {() => void} answer */
  pong(answer) {
    if (this.holdsPongs) this.heldPongs.push(answer);
    else answer();
  }

  releasePongs() {
    this.holdsPongs = false;
    for (const answer of this.heldPongs.splice(0)) answer();
  }

  /** The next ones still wait. */
  releaseFirstPong() {
    this.heldPongs.shift()?.();
  }

  /** Connects once more, beside the socket that is open. */
  connectAgain() {
    this.connect();
  }

  /** Without a good-bye, as when a network breaks. */
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
    if (!this.echo) this.cut();
    this.echo = true;
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
