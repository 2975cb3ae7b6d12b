/**
 * Devices that only report values, each with one confirmable notification at a time, and the next as soon as one is
 * acknowledged. A simulated device uses nearly as much CPU for a value as the proxy does; one of these uses a fraction
 * of that, because only a few bytes of its notifications change.
 *
 *   node bench/devices/bare-reporters.ts URL FIRST-END PATH...
 *
 * The number of a device is at least FIRST and below END. Over coaps, each has the identity and the key of
 * `credentials.ts`, and the server gives its connection an id.
 *
 * A number on standard input limits the values per second from then on. Each line is answered with a line of JSON: `registered`, `observations`, `values` acknowledged, `lost`
 * (retransmitted because no acknowledgement came), `waiting` (the first devices that are not registered and observed yet). The
 * process ends when standard input does, because the program that started it has ended.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';
import { Code, decodeMessage, encodeMessage, type CoapMessage } from '@lanyard/coap';
import { DtlsClient, HandshakeFailed, systemDtlsClock, TickingTimers } from '@lanyard/dtls';
import { credentialOf, reporterName } from './credentials.ts';

const [url = '', numbers = '', ...paths] = process.argv.slice(2);
const { protocol, port: portText, hostname: server } = new URL(url);
const [isSecure, port] = [protocol === 'coaps:', Number(portText)];
const [first = 0, end = 0] = numbers.split('-').map(Number);
const timers = new TickingTimers(systemDtlsClock);

/** The server limits unknown peers by source address; on Linux each 127.x.y.z is an address of this machine. */
const devicesPerAddress = 100;
const isLocal = server.startsWith('127.');
/** A different network with DTLS, because a server may still send records to addresses of devices that are gone. */
const network = isSecure ? 25 : 24;
const registeredAtOnce = 20;
/** RFC 7252 §4.8: ACK_TIMEOUT. */
const ackTimeoutMs = 2_000;
const checkMs = 500;

const option = { observe: 6, path: 11, contentFormat: 12, query: 15 };
const linkFormat = 40;
const payloadDigits = 5;

/**
 * The highest rate a second, evenly: acknowledgements arrive by the hundred, and a fleet does not answer each of them with
 * the next value at once.
 */
let perSecondMax = 24_000;
const tickMs = 1;

const totals = { registered: 0, observations: 0, values: 0, lost: 0 };

const textOption = (number: number, text: string) => ({ number, value: Buffer.from(text) });

/** An observation of one device, and its notification, in which only message id, number and payload change. */
class Observation {
  number = 0;
  token: Buffer;
  bytes: Buffer<ArrayBufferLike>;
  observeAt: number;

  constructor(token: Buffer) {
    this.token = token;
    const observe = { number: option.observe, value: Buffer.from([1, 0, 0]) };
    const text = { number: option.contentFormat, value: Buffer.alloc(0) };
    this.bytes = encodeMessage({
      ...{ type: 'CON', code: Code.Content, messageId: 0, token, options: [observe, text] },
      payload: Buffer.alloc(payloadDigits),
    });
    // The first byte of the option has its number, 6, and the length of its value, 3.
    this.observeAt = this.bytes.indexOf(Buffer.from([0x63, 1, 0, 0]), 4 + token.length) + 1;
  }

  next(messageId: number) {
    const { bytes } = this;
    const number = ++this.number;
    bytes.writeUInt16BE(messageId, 2);
    bytes.writeUIntBE((0x10000 + number) & 0xffffff, this.observeAt, 3);
    for (let at = bytes.length - 1, rest = number; at >= bytes.length - payloadDigits; at--, rest = (rest / 10) | 0)
      bytes[at] = 48 + (rest % 10);
    return bytes;
  }
}

class Reporter {
  socket = createSocket({ type: 'udp4', lookup: (host, _, done) => done(null, host, 4) });
  client: DtlsClient | undefined;
  /** Random (RFC 7252 §4.4), because the address may have belonged to another device a moment ago. */
  messageId = randomInt(0x10000);
  /** Observations by path. */
  observations = new Map<string, Observation>();
  all: Observation[] = [];
  turn = 0;
  /** The message that waits for its acknowledgement. */
  sent: Buffer | undefined;
  sentAtMs = 0;
  hasBegun = false;
  registered: ((value: unknown) => void) | undefined;
  n: number;

  constructor(n: number) {
    this.n = n;
  }

  async register() {
    const block = Math.floor(this.n / devicesPerAddress);
    const localAddress = isLocal ? `127.${network}.${block >> 8}.${block & 255}` : undefined;
    await new Promise((bound) => this.socket.bind(0, localAddress, () => bound(undefined)));
    this.socket.on('message', (bytes) => (isSecure ? this.client?.receive(bytes) : this.receive(bytes)));
    if (isSecure) await this.connect();
    const done = new Promise((registered) => (this.registered = registered));
    const links = [...new Set(paths.map((path) => path.split('/').slice(0, 3).join('/')))];
    this.send(
      encodeMessage({
        ...{ type: 'CON', code: Code.POST, messageId: this.nextId(), token: Buffer.from('register') },
        options: [
          textOption(option.path, 'rd'),
          { number: option.contentFormat, value: Buffer.from([linkFormat]) },
          ...[`ep=${reporterName(isSecure, this.n)}`, 'lt=86400', 'lwm2m=1.1', 'b=U', 'et=simulated'].map((query) =>
            textOption(option.query, query),
          ),
        ],
        payload: Buffer.from(links.map((link) => `<${link}>`).join()),
      }),
    );
    await done;
    totals.registered++;
  }

  /** Tries until it succeeds, because a busy server leaves handshakes unanswered. */
  async connect() {
    for (;;) {
      try {
        return await this.handshake();
      } catch (error) {
        if (!(error instanceof HandshakeFailed)) throw error;
        process.stderr.write(`${reporterName(true, this.n)}: ${error.message}\n`);
      }
    }
  }

  async handshake() {
    this.client = new DtlsClient({
      psk: credentialOf(reporterName(true, this.n)),
      connectionId: Buffer.alloc(0),
      timers,
      send: (datagram) => this.socket.send(datagram, port, server),
      onMessage: (bytes) => this.receive(bytes),
    });
    await this.client.connect();
  }

  nextId() {
    return (this.messageId = (this.messageId + 1) & 0xffff);
  }

  send(bytes: Buffer) {
    this.sent = bytes;
    this.sentAtMs = performance.now();
    this.transmit(bytes);
  }

  transmit(bytes: Buffer) {
    if (this.client) this.client.send(bytes);
    else this.socket.send(bytes, port, server);
  }

  receive(bytes: Buffer) {
    const { sent } = this;
    // An acknowledgement, or a Reset from a server that observed with another token before.
    const isAnswer = (Number(bytes[0]) & 0x20) === 0x20 && sent?.[2] === bytes[2] && sent?.[3] === bytes[3];
    if (!isAnswer) return this.answerMessage(bytes);
    // An empty acknowledgement of a registration: its answer follows later.
    if (this.registered && bytes[1] === 0) this.sent = undefined;
    else if (this.registered) this.onRegistrationAnswer(Number(bytes[1]));
    else {
      // Cleared, because an acknowledgement of a retransmitted message may arrive twice.
      this.sent = undefined;
      if ((Number(bytes[0]) & 0x30) === 0x20) totals.values++;
      ready.push(this);
    }
  }

  onRegistrationAnswer(code: number) {
    if (code !== Code.Created) throw new Error(`registration answered with ${code}`);
    this.sent = undefined;
    this.registered?.(undefined);
    this.registered = undefined;
    this.begin();
  }

  /** Starts reporting, once the device is registered and everything is observed. */
  begin() {
    if (this.hasBegun || this.registered || this.all.length < paths.length) return;
    this.hasBegun = true;
    ready.push(this);
  }

  answerMessage(bytes: Buffer) {
    const message = decodeMessage(bytes);
    const { messageId, token, code } = message;
    if (message.type !== 'CON') return;
    if (code === Code.Created && this.registered) this.onRegistrationAnswer(code);
    const isRequest = code > 0 && code < 32;
    const isObserve = message.options.some(({ number, value }) => number === option.observe && value.length === 0);
    const reply = isObserve
      ? {
          ...{ code: Code.Content, token, payload: Buffer.from('00000') },
          options: [{ number: option.observe, value: Buffer.from([1]) }, textOption(option.contentFormat, '')],
        }
      : {
          code: isRequest ? Code.NotFound : 0,
          token: isRequest ? token : Buffer.alloc(0),
          options: [],
          payload: Buffer.alloc(0),
        };
    this.transmit(encodeMessage({ type: 'ACK', messageId, ...reply }));
    if (isObserve) this.addObservation(message);
  }

  addObservation({ token, options }: CoapMessage) {
    const path = options
      .filter(({ number }) => number === option.path)
      .map(({ value }) => value)
      .join('/');
    if (this.observations.get(path)?.token.equals(token)) return;
    if (!this.observations.has(path)) totals.observations++;
    this.observations.set(path, new Observation(Buffer.from(token)));
    this.all = [...this.observations.values()];
    this.begin();
  }

  report() {
    const observation = this.all[this.turn++ % this.all.length];
    if (observation) this.send(observation.next(this.nextId()));
  }

  retransmitIfDue(nowMs: number) {
    if (!this.sent || nowMs - this.sentAtMs < ackTimeoutMs) return;
    totals.lost++;
    this.send(this.sent);
  }
}

/** Devices that may report. */
const ready: Reporter[] = [];
/** Reports that may be sent now; those that no device was ready for accumulate, up to 10 ms of them. */
let due = 0;
let tickedAtMs = performance.now();
setInterval(() => {
  const nowMs = performance.now();
  due = Math.min(due + ((nowMs - tickedAtMs) * perSecondMax) / 1_000, perSecondMax / 100);
  tickedAtMs = nowMs;
  const now = ready.splice(0, due);
  due -= now.length;
  for (const reporter of now) reporter.report();
}, tickMs);

const reporters = Array.from({ length: end - first }, (_, n) => new Reporter(first + n));
setInterval(() => {
  for (const reporter of reporters) reporter.retransmitIfDue(performance.now());
}, checkMs);
const namesMax = 3;
const state = () => {
  const waiting = reporters.filter(({ hasBegun }) => !hasBegun).slice(0, namesMax);
  return { ...totals, waiting: waiting.map(({ n }) => reporterName(isSecure, n)) };
};
createInterface({ input: process.stdin })
  .on('line', (text) => {
    if (text !== '') perSecondMax = Number(text);
    process.stdout.write(`${JSON.stringify(state())}\n`);
  })
  .on('close', () => process.exit());
let next = 0;
await Promise.all(
  Array.from({ length: registeredAtOnce }, async () => {
    for (let reporter = reporters[next++]; reporter; reporter = reporters[next++]) await reporter.register();
  }),
);
