/** Sends datagrams to an endpoint over real sockets; the endpoint sends requests too, so that answers are fuzzed. */
import dgram from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, CoapUdpEndpoint } from '@lanyard/coap';
import { validDatagram } from './corpus.ts';
import { Findings } from './findings.ts';
import { mutate } from './mutate.ts';
import { answer, Planned, readValue } from './reader.ts';
import type { Random } from '../testing/random.ts';

interface Attacker {
  socket: dgram.Socket;
  port: number;
  /** The last request that the endpoint sent to it. */
  asked: { messageId: number; token: Buffer } | undefined;
}

const attackersMax = 32;
/** Datagrams between checks of the endpoint's progress: its socket must not overflow. */
const batch = 400;
/** After so many batches of which nothing arrived, the endpoint is dead: each takes 20 ms at least. */
const idleMax = 100;
/** After so many datagrams, the endpoint sends a request to an attacker, or forgets one. */
const askEvery = 50;
const forgetEvery = 20_000;
const quick = { ackTimeoutMs: 50, maxRetransmit: 1, timeoutMs: 100 };
const longestRandom = 96;

const attacker = async (): Promise<Attacker> => {
  const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const one: Attacker = { socket, port: socket.address().port, asked: undefined };
  socket.on('error', () => undefined);
  socket.on('message', (bytes) => {
    const tokenLength = (bytes[0] as number) & 15;
    const isRequest = bytes.length >= 4 && bytes[1] !== 0 && (bytes[1] as number) < 32;
    if (isRequest)
      one.asked = { messageId: bytes.readUInt16BE(2), token: Buffer.from(bytes.subarray(4, 4 + tokenLength)) };
  });
  return one;
};

/** Of ten datagrams, about one is random, two are valid, and seven are valid ones that were changed. */
const datagram = (random: Random, { asked }: Attacker) => {
  const kind = random.below(10);
  if (kind === 0) return random.bytes(random.below(longestRandom));
  const valid = validDatagram(random, asked);
  return kind < 3 ? valid : mutate(valid, random);
};

export class UdpFuzz {
  random: Random;
  findings = new Findings();
  sent = 0;
  attackers: Attacker[] = [];
  endpoint: CoapUdpEndpoint;
  port?: number;

  constructor(random: Random) {
    this.random = random;
    this.endpoint = new CoapUdpEndpoint({
      host: '127.0.0.1',
      // All datagrams come from one address, whose rate limit would hide everything behind it.
      limits: { unknownPeerRatePerSecond: 1e9, unknownPeerBurst: 1e9, closeTimeoutMs: 1_000 },
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
    // The other half of the attackers stay unknown peers.
    for (const { port } of this.attackers.slice(0, attackersMax / 2))
      this.endpoint.keepPeer(this.endpoint.peer('127.0.0.1', port));
  }

  get handled() {
    return this.findings.of('datagram-received');
  }

  /**
   * Ends early when the endpoint no longer receives anything.
   * @param messages that the endpoint must have received in total
   */
  async run(messages: number) {
    for (let idle = 0; this.handled < messages && idle < idleMax;) {
      const before = this.handled;
      const goal = before + batch;
      for (let n = 0; n < batch; n++) this.sendOne();
      // Datagrams that the kernel dropped will not arrive.
      for (let looks = 0; this.handled < goal && looks < 20; looks++)
        await (looks < 10 ? new Promise((resolve) => setImmediate(resolve)) : sleep(2));
      idle = this.handled > before ? 0 : idle + 1;
    }
  }

  sendOne() {
    const from = this.random.pick(this.attackers);
    this.sent++;
    if (this.sent % askEvery === 0) void this.ask(from);
    if (this.sent % forgetEvery === 0) this.endpoint.forgetPeer(this.endpoint.peer('127.0.0.1', from.port));
    from.socket.send(datagram(this.random, from), this.port as number, '127.0.0.1');
  }

  async ask({ port }: Attacker) {
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

  /** Whether a well-behaved client is still served. */
  async isAlive() {
    const client = new CoapUdpEndpoint({ host: '127.0.0.1', onRequest: answer });
    await client.listen();
    const server = client.peer('127.0.0.1', this.port as number);
    const { code, payload } = await client.request(server, { method: Code.GET, path: ['large'] });
    await client.close();
    return code === Code.Content && payload.length === 3_000;
  }

  async stop() {
    for (const { socket } of this.attackers) socket.close();
    await this.endpoint.close();
  }
}
