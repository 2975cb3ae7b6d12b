/**
 * Messages of 1,000 events, compared with bare PUTs (R3) and bare `ws.send` (R4) of the same bytes: sent by the sending part of
 * the dispatcher, from chunks in memory; and by a dispatcher with queues in Redis, compared with programs that only empty
 * such queues.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startProgram } from '../../tools/testing/program.ts';
import { openSocket, Receiver, type Message } from '../application.ts';
import { median, round } from '../statistics.ts';
import { until } from '../travels.ts';
import { customers, dispatchersOnly } from './installation.ts';
import { Queues } from './queues.ts';
import type { Bench } from '../benches.ts';

const channels = 16;
const perMessage = 1_000;
/** Messages sent from memory: a round takes half a second or more. With fewer, V8 was still compiling in half of the rounds. */
const messagesEach = 400;
const warmUps = 2;
/** Messages sent from queues in Redis. */
const queuedEach = 80;
const perAppend = 2_000;
const eventBytes = 200;
/** About as many events as a message has, because a chunk holds 39. */
const chunksPerMessage = 26;

const event = Buffer.from(`{"n":"${'x'.repeat(eventBytes - 8)}"}`);
const bodyBytes = '{"notifications":[]}'.length + perMessage * (eventBytes + 1) - 1;

/** Keeps and decodes nothing, so that its cost is the same for every sender. */
class PlainReceiver extends Receiver {
  protected override async receive(request: IncomingMessage, response: ServerResponse) {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    response.writeHead(204).end();
    const channel = Number(request.url?.slice(1));
    this.onMessage({ atMs: performance.now(), body: Buffer.concat(parts), channel });
  }
}

const startSender = async (mode: 'put' | 'websocket', url: string, program: string, sizes: (number | string)[]) => {
  const args = [mode, url, String(channels), ...sizes.map(String)];
  const { child, port, stop } = await startProgram(`bench/dispatch/${program}-sender.ts`, ...args);
  return { port, stop, send: (messages: number) => child.stdin.write(`${messages}\n`) };
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
    /** Connects sockets to a program that sends. */
    const connect = async (port: number) => {
      for (let n = 0; n < channels; n++)
        sockets.push(await openSocket(`http://127.0.0.1:${port}`, undefined, arrive, n));
    };
    const redisUrl = system.infrastructureUrls.redisUrl;
    const bareQueues = await Queues.open(redisUrl, 'bare:');
    const bareChannels = await bareQueues.channels(channels);
    const keys = bareChannels.map((id) => bareQueues.keys.ofChannel(id).queue(id));
    const bareSizes = [bodyBytes];
    const queued = [...bareSizes, redisUrl, chunksPerMessage, ...keys];
    const ownSizes = [perMessage, eventBytes];
    const senders = {
      put: await startSender('put', bareReceiver.urlOf(0), 'own', ownSizes),
      R3: await startSender('put', bareReceiver.urlOf(0), 'bare', bareSizes),
      websocket: await startSender('websocket', '-', 'own', ownSizes),
      R4: await startSender('websocket', '-', 'bare', bareSizes),
      put_bare_queues: await startSender('put', bareReceiver.urlOf(0), 'bare', queued),
      websocket_bare_queues: await startSender('websocket', '-', 'bare', queued),
    };
    for (const name of ['websocket', 'R4', 'websocket_bare_queues'] as const) await connect(senders[name].port);

    /** Measures messages a second, from the first to the last. */
    const measure = async (each: number, start: () => void) => {
      const total = channels * each;
      [messages, bytes, firstAtMs] = [0, 0, 0];
      start();
      await until(() => bytes >= total * bodyBytes, `${total} messages`, { found: () => `${messages} came` });
      return (total / (lastAtMs - firstAtMs)) * 1_000;
    };
    const events = Array.from({ length: perAppend }, () => event);
    const fill = async (queues: Queues, channelId: string) => {
      for (let n = 0; n < (queuedEach * perMessage) / perAppend; n++)
        await queues.append([queues.batch([channelId], events)]);
    };
    /** Fills the queues directly in Redis while the dispatcher is suspended. */
    const fromDispatcher = async (to: typeof called) => {
      system.signal('dispatcher-0', 'SIGSTOP');
      const queues = await Queues.open(redisUrl, 'dispatcher:');
      for (const { keyId, accountId } of to) {
        queues.accountId = accountId;
        await fill(queues, keyId);
      }
      queues.close();
      return measure(queuedEach, () => system.signal('dispatcher-0', 'SIGCONT'));
    };
    const bare = async (name: 'put_bare_queues' | 'websocket_bare_queues') => {
      await bareQueues.clear();
      for (const channelId of bareChannels) await fill(bareQueues, channelId);
      system.signal('dispatcher-0', 'SIGSTOP');
      const rate = await measure(queuedEach - 1, () => senders[name].send(queuedEach - 1));
      system.signal('dispatcher-0', 'SIGCONT');
      return rate;
    };
    const rates: Record<string, number[]> = {};
    /** @param unmeasured number of rounds at the start that do not count */
    const inTurns = async (measured: Record<string, () => Promise<number>>, unmeasured: number) => {
      for (let n = 1 - unmeasured; n <= rounds; n++) {
        // Every other round runs backwards, so that no sender always follows the same one.
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
    const fromMemory = (name: keyof typeof senders) => () =>
      measure(messagesEach, () => senders[name].send(messagesEach));
    // Measured before the queues, because afterwards Redis rewrites its log.
    await inTurns(
      { put: fromMemory('put'), R3: fromMemory('R3'), websocket: fromMemory('websocket'), R4: fromMemory('R4') },
      warmUps,
    );
    await inTurns(
      {
        put_from_queues: () => fromDispatcher(called),
        put_bare_queues: () => bare('put_bare_queues'),
        websocket_from_queues: () => fromDispatcher(listening),
        websocket_bare_queues: () => bare('websocket_bare_queues'),
      },
      1,
    );
    bareQueues.close();
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
      R3_put_bare_queues_ratio: round(of('put_bare_queues') / of('R3')),
      R4_websocket_bare_queues_ratio: round(of('websocket_bare_queues') / of('R4')),
      bare_put_from_queues_ratio: round(of('put_from_queues') / of('put_bare_queues')),
      bare_websocket_from_queues_ratio: round(of('websocket_from_queues') / of('websocket_bare_queues')),
    };
  },
};
