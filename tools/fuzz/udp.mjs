/** Datagrams at an endpoint over real sockets; the endpoint asks back, so that answers are fuzzed too. */
import dgram from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, CoapUdpEndpoint } from '@lanyard/coap';
import { validDatagram } from './corpus.mjs';
import { Findings } from './findings.mjs';
import { mutate } from './mutate.mjs';
import { answer, Planned, readValue } from './reader.mjs';

/** @typedef {import('./seeded.mjs').Seeded} Seeded */
/** @typedef {{ socket: dgram.Socket, port: number, asked: { messageId: number, token: Buffer } | undefined }} Attacker */

const attackersMax = 32;
/** Datagrams between looks at how far the endpoint is: its socket must not overflow. */
const batch = 400;
const askEvery = 50;
const forgetEvery = 20_000;
const quick = { ackTimeoutMs: 50, maxRetransmit: 1, timeoutMs: 100 };
const longestRandom = 96;

/** @returns {Promise<Attacker>} */
const attacker = async () => {
  const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  /** @type {Attacker} */
  const one = { socket, port: socket.address().port, asked: undefined };
  socket.on('error', () => undefined);
  socket.on('message', (bytes) => {
    const tokenLength = /** @type {number} */ (bytes[0]) & 15;
    const isRequest = bytes.length >= 4 && bytes[1] !== 0 && /** @type {number} */ (bytes[1]) < 32;
    if (isRequest)
      one.asked = { messageId: bytes.readUInt16BE(2), token: Buffer.from(bytes.subarray(4, 4 + tokenLength)) };
  });
  return one;
};

/** Half of what is sent was valid before it was changed; some stays valid, some is random. @param {Seeded} random @param {Attacker} from */
const datagram = (random, { asked }) => {
  const kind = random.below(10);
  if (kind === 0) return random.bytes(random.below(longestRandom));
  const valid = validDatagram(random, asked);
  return kind < 3 ? valid : mutate(valid, random);
};

export class UdpFuzz {
  /** @param {Seeded} random */
  constructor(random) {
    this.random = random;
    this.findings = new Findings();
    this.sent = 0;
    /** @type {Attacker[]} */
    this.attackers = [];
    this.endpoint = new CoapUdpEndpoint({
      host: '127.0.0.1',
      // All come from one address: behind its limit of rate nothing else would be reached.
      limits: { strangerRatePerSecond: 1e9, strangerBurst: 1e9, closeTimeoutMs: 1_000 },
      metrics: this.findings,
      onRequest: answer,
      onNotification: async (notification) => {
        readValue(notification);
        if (notification.payload.length % 7 === 0) throw new Planned('not now');
        return notification.payload.length % 2 === 0 ? 'accepted' : 'rejected';
      },
      onHandlerError: (error) => this.findings.report(error),
    });
  }

  async start() {
    this.port = (await this.endpoint.listen()).port;
    for (let n = 0; n < attackersMax; n++) this.attackers.push(await attacker());
    // The other half stays strangers.
    for (const { port } of this.attackers.slice(0, attackersMax / 2))
      this.endpoint.keepPeer(this.endpoint.peer('127.0.0.1', port));
  }

  get handled() {
    return this.findings.of('datagram-received');
  }

  /** @param {number} messages that the endpoint has to have received in all */
  async run(messages) {
    while (this.handled < messages) {
      const goal = this.handled + batch;
      for (let n = 0; n < batch; n++) this.sendOne();
      // What the kernel dropped does not come any more.
      for (let looks = 0; this.handled < goal && looks < 20; looks++)
        await (looks < 10 ? new Promise((resolve) => setImmediate(resolve)) : sleep(2));
    }
  }

  sendOne() {
    const from = this.random.pick(this.attackers);
    this.sent++;
    if (this.sent % askEvery === 0) void this.ask(from);
    if (this.sent % forgetEvery === 0) this.endpoint.forgetPeer(this.endpoint.peer('127.0.0.1', from.port));
    from.socket.send(datagram(this.random, from), /** @type {number} */ (this.port), '127.0.0.1');
  }

  /** @param {Attacker} of */
  async ask({ port }) {
    const { endpoint, findings, random } = this;
    const peer = endpoint.peer('127.0.0.1', port);
    const request = { method: Code.GET, path: ['3303', '0', '5700'], ...quick };
    try {
      if (random.below(2) === 0) readValue(await endpoint.request(peer, request));
      else await endpoint.observe(peer, request, async (notification) => readValue(notification));
    } catch (error) {
      findings.report(error);
    }
  }

  /** Is a well-behaved client still served? */
  async isAlive() {
    const client = new CoapUdpEndpoint({ host: '127.0.0.1', onRequest: answer });
    await client.listen();
    const server = client.peer('127.0.0.1', /** @type {number} */ (this.port));
    const { code, payload } = await client.request(server, { method: Code.GET, path: ['large'] });
    await client.close();
    return code === Code.Content && payload.length === 3_000;
  }

  async stop() {
    for (const { socket } of this.attackers) socket.close();
    await this.endpoint.close();
  }
}
