/** Connections that send fuzzed frames to an endpoint over real sockets. */
import { connect } from 'node:net';
import { Code, CoapStreamEndpoint, type Peer } from '@lanyard/coap';
import { csm, frameOf, signals, validDatagram } from './corpus.ts';
import { Findings } from './findings.ts';
import { mutate } from './mutate.ts';
import { answer, Planned, readValue } from './reader.ts';
import type { Random } from '../testing/random.ts';

const connectionsAtOnce = 16;
const framesMax = 60;
/** After so many connections in which it received nothing, the endpoint is dead. */
const idleMax = 1_000;
/** A connection whose frame is never complete gets no answer, so it is abandoned after this time. */
const patienceMs = 200;
const longestRandom = 96;
const handledEvents = ['message-received', 'message-malformed', 'message-too-large'];

/** Most frames keep their framing intact: otherwise, the code behind it would never be reached. */
const frame = (random: Random) => {
  const kind = random.below(20);
  if (kind === 0) return random.bytes(random.below(longestRandom));
  if (kind === 1) return random.pick(signals);
  const valid = validDatagram(random, undefined);
  if (kind < 9) return frameOf(valid);
  return kind < 17 ? frameOf(mutate(valid, random)) : mutate(frameOf(valid), random);
};

export class StreamFuzz {
  random: Random;
  findings = new Findings();
  connections = 0;
  endpoint: CoapStreamEndpoint;
  port?: number;

  constructor(random: Random) {
    this.random = random;
    this.endpoint = new CoapStreamEndpoint({
      host: '127.0.0.1',
      // All connections come from one address, whose rate limit would hide everything behind it.
      limits: { connectRatePerSecond: 1e9, connectBurst: 1e9, notificationRetryMs: 10, closeTimeoutMs: 1_000 },
      metrics: this.findings,
      onRequest: answer,
      onNotification: async (notification) => {
        readValue(notification);
        if (notification.payload.length % 29 === 0) throw new Planned('not now');
        return notification.payload.length % 2 === 0 ? 'accepted' : 'rejected';
      },
      onConnection: (peer) => {
        setImmediate(() => void this.ask(peer));
        return true;
      },
      onHandlerError: (error) => this.findings.report(error),
    });
  }

  async start() {
    this.port = (await this.endpoint.listen()).port;
  }

  get handled() {
    return handledEvents.reduce((sum, event) => sum + this.findings.of(event), 0);
  }

  /**
   * Ends early when the endpoint no longer receives anything.
   * @param messages that the endpoint must have received in total
   */
  async run(messages: number) {
    let idle = 0;
    const one = async () => {
      while (this.handled < messages && idle < idleMax) {
        const before = this.handled;
        await this.converse();
        idle = this.handled > before ? 0 : idle + 1;
      }
    };
    await Promise.all(Array.from({ length: connectionsAtOnce }, one));
  }

  /** One connection: its first frame is nearly always the required one. */
  async converse() {
    const { random } = this;
    this.connections++;
    const frames = [random.below(20) === 0 ? mutate(csm, random) : csm];
    for (let left = 1 + random.below(framesMax); left > 0; left--) frames.push(frame(random));
    const bytes = Buffer.concat(frames);
    const socket = connect(this.port as number, '127.0.0.1');
    await new Promise((resolve) => {
      const timer = setTimeout(() => socket.destroy(), patienceMs);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve(undefined);
      });
      socket.on('data', () => undefined);
      const at = random.below(bytes.length);
      socket.write(bytes.subarray(0, at));
      setImmediate(() => socket.end(bytes.subarray(at)));
    });
  }

  async ask(peer: Peer) {
    const request = { method: Code.GET, path: ['3303', '0', '5700'], timeoutMs: 100 };
    try {
      await this.endpoint.observe(peer, request, async (notification) => readValue(notification));
    } catch (error) {
      this.findings.report(error);
    }
  }

  /** Whether a well-behaved client is still served. */
  async isAlive() {
    const client = new CoapStreamEndpoint({ onRequest: answer });
    const server = await client.connect({ host: '127.0.0.1', port: this.port as number });
    const { code, payload } = await client.request(server, { method: Code.GET, path: ['large'] });
    await client.close();
    return code === Code.Content && payload.length === 3_000;
  }

  async stop() {
    await this.endpoint.close();
  }
}
