/**
 * Messages of 1,000 events, beside bare PUTs (R3) and bare `ws.send` (R4) of the same bytes: by what sends in the
 * dispatcher, from chunks in memory; and by a dispatcher whose queues lie in Redis.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { root } from '../../tools/lanyard/project.ts';
import { openSocket, Receiver, type Message } from '../application.ts';
import { median, round } from '../statistics.ts';
import { until } from '../travels.ts';
import { customers, dispatchersOnly } from './installation.ts';
import { Queues } from './queues.ts';
import type { Bench } from '../benches.ts';

const channels = 16;
const perMessage = 1_000;
/** Out of memory: a round takes half a second or more. With fewer, V8 was still compiling in half of the rounds. */
const messagesEach = 400;
const warmUps = 2;
/** Of the queues in Redis. */
const queuedEach = 80;
const perAppend = 2_000;
const eventBytes = 200;

const event = Buffer.from(`{"n":"${'x'.repeat(eventBytes - 8)}"}`);
const bodyBytes = '{"notifications":[]}'.length + perMessage * (eventBytes + 1) - 1;

/** Keeps nothing and decodes nothing: what it costs is the same for every sender. */
class PlainReceiver extends Receiver {
  protected override async receive(request: IncomingMessage, response: ServerResponse) {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    response.writeHead(204).end();
    const channel = Number(request.url?.slice(1));
    this.onMessage({ atMs: performance.now(), body: Buffer.concat(parts), channel });
  }
}

const startSender = async (mode: 'put' | 'websocket', url: string, program: string, sizes: number[]) => {
  const script = join(root, `bench/dispatch/${program}-sender.ts`);
  const child = spawn(process.execPath, [script, mode, url, String(channels), ...sizes.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((ready) =>
    createInterface({ input: child.stdout }).once('line', (line) => ready(Number(line.split(' ')[1]))),
  );
  return {
    port,
    send: () => child.stdin.write(`${messagesEach}\n`),
    stop: () => child.kill('SIGKILL'),
  };
};

export const transport: Bench = {
  about: `messages of 1,000 events by ${channels} callbacks and WebSockets, from memory and out of full queues; R3 and R4 send the same bytes bare`,
  replicas: dispatchersOnly(),
  async run({ system, rounds, say }) {
    const [receiver, bareReceiver] = [await new PlainReceiver().start(), await new PlainReceiver().start()];
    const all = await customers(system, 2 * channels);
    const [called, listening] = [all.slice(0, channels), all.slice(channels)];
    let messages = 0;
    let bytes = 0;
    let [firstAtMs, lastAtMs] = [0, 0];
    const arrive = ({ body }: Message) => {
      lastAtMs = performance.now();
      firstAtMs ||= lastAtMs;
      messages++;
      bytes += body.length;
    };
    receiver.onMessage = bareReceiver.onMessage = arrive;
    const serialization = { type: 'v2', max_chunk_size: perMessage };
    for (const customer of called)
      await customer.call('PUT', 'callback', { url: receiver.urlOf(customer.number), serialization });
    const sockets = [];
    for (const customer of listening) sockets.push(await customer.listen(arrive, serialization));
    /** Sockets to a program that sends. */
    const connect = async (port: number) => {
      for (let n = 0; n < channels; n++)
        sockets.push(await openSocket(`http://127.0.0.1:${port}`, undefined, arrive, n));
    };
    const bareSizes = [bodyBytes];
    const ownSizes = [perMessage, eventBytes];
    const senders = {
      put: await startSender('put', bareReceiver.urlOf(0), 'own', ownSizes),
      R3: await startSender('put', bareReceiver.urlOf(0), 'bare', bareSizes),
      websocket: await startSender('websocket', '-', 'own', ownSizes),
      R4: await startSender('websocket', '-', 'bare', bareSizes),
    };
    await connect(senders.websocket.port);
    await connect(senders.R4.port);
    const redisUrl = system.engineUrls.redisUrl;

    /** Messages a second, from the first to the last. */
    const measure = async (each: number, start: () => void) => {
      const total = channels * each;
      [messages, bytes, firstAtMs] = [0, 0, 0];
      start();
      await until(() => bytes >= total * bodyBytes, `${total} messages (${messages} came)`);
      return (total / (lastAtMs - firstAtMs)) * 1_000;
    };
    /** Fills the queues behind the back of the dispatcher, which stands still. */
    const ours = async (to: typeof called) => {
      system.signal('dispatcher-0', 'SIGSTOP');
      const queues = await Queues.open(redisUrl, 'dispatcher:');
      const events = Array.from({ length: perAppend }, () => event);
      for (const { keyId, accountId } of to) {
        queues.accountId = accountId;
        for (let n = 0; n < (queuedEach * perMessage) / perAppend; n++)
          await queues.append([queues.batch([keyId], events)]);
      }
      queues.close();
      return measure(queuedEach, () => system.signal('dispatcher-0', 'SIGCONT'));
    };
    const rates: Record<string, number[]> = {};
    /** @param unmeasured first rounds that do not count */
    const inTurns = async (measured: Record<string, () => Promise<number>>, unmeasured: number) => {
      for (let n = 1 - unmeasured; n <= rounds; n++) {
        // Every other round backwards: none always follows the same one.
        const turns = Object.entries(measured);
        const found = [];
        for (const [name, measureOne] of n % 2 === 0 ? turns : turns.reverse()) {
          const rate = await measureOne();
          found.push(`${name} ${Math.round(rate)}/s`);
          if (n > 0) (rates[name] ??= []).push(rate);
        }
        say(`${n > 0 ? `round ${n} of ${rounds}` : 'warm-up'}: ${found.join(', ')}`);
      }
    };
    const fromMemory = (name: keyof typeof senders) => () => measure(messagesEach, () => senders[name].send());
    // Before the queues: afterwards Redis has its log to rewrite.
    await inTurns(
      { put: fromMemory('put'), R3: fromMemory('R3'), websocket: fromMemory('websocket'), R4: fromMemory('R4') },
      warmUps,
    );
    await inTurns({ put_from_queues: () => ours(called), websocket_from_queues: () => ours(listening) }, 1);
    for (const sender of Object.values(senders)) sender.stop();
    for (const socket of sockets) socket.cut();
    await Promise.all([receiver.stop(), bareReceiver.stop()]);
    const of = (name: string) => median(rates[name] ?? []);
    return {
      put_messages_per_second: round(of('put')),
      R3_put_messages_per_second: round(of('R3')),
      R3_put_ratio: round(of('put') / of('R3')),
      websocket_messages_per_second: round(of('websocket')),
      R4_websocket_messages_per_second: round(of('R4')),
      R4_websocket_ratio: round(of('websocket') / of('R4')),
      put_from_queues_messages_per_second: round(of('put_from_queues')),
      R3_put_from_queues_ratio: round(of('put_from_queues') / of('R3')),
      websocket_from_queues_messages_per_second: round(of('websocket_from_queues')),
      R4_websocket_from_queues_ratio: round(of('websocket_from_queues') / of('R4')),
    };
  },
};
