/** Requests over keep-alive connections, with one in flight on each. */
import { Client, type Dispatcher } from 'undici';
import { evenly } from '../travels.ts';

export type Request = Dispatcher.RequestOptions;

const send = async (client: Client, request: Request) => {
  const { statusCode, body } = await client.request(request);
  await body.dump();
  if (statusCode >= 300) throw new Error(`${statusCode} for ${request.method} ${request.path}`);
};

const clientsOf = (url: URL, count: number) => Array.from({ length: count }, () => new Client(url.origin));

/** Sends as many requests as possible. `next` returns each request. Returns the time that each `took`, in ms. */
export const saturate = async (url: URL, next: () => Request, options: { seconds: number; connections: number }) => {
  const took: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + options.seconds * 1_000;
  await Promise.all(
    clientsOf(url, options.connections).map(async (client) => {
      for (let at = performance.now(); at < endAt; at = performance.now()) {
        await send(client, next());
        took.push(performance.now() - at);
      }
      await client.close();
    }),
  );
  return { took, perSecond: (took.length / (performance.now() - startedAt)) * 1_000 };
};

/**
 * Requests at a constant rate a second, whether or not answers arrive: the time of a request that waits for a connection counts
 * from when it was due. Connections stay open from one run to the next.
 */
export class Steady {
  clients: Client[];
  perSecond: number;
  turn = 0;

  constructor(url: URL, { connections, perSecond }: { connections: number; perSecond: number }) {
    this.clients = clientsOf(url, connections);
    this.perSecond = perSecond;
  }

  /** The time that each request took, in ms. `next` returns each request. */
  async run(next: () => Request, seconds: number) {
    const took: number[] = [];
    const inFlight: Promise<void>[] = [];
    const startedAt = performance.now();
    await evenly(seconds * this.perSecond, this.perSecond, (n) => {
      const dueAt = startedAt + (n * 1_000) / this.perSecond;
      // The client queues a request that it cannot send at once.
      const client = this.clients[this.turn++ % this.clients.length] as Client;
      inFlight.push(send(client, next()).then(() => void took.push(performance.now() - Math.max(dueAt, startedAt))));
    });
    await Promise.all(inFlight);
    return took;
  }

  async close() {
    await Promise.all(this.clients.map((client) => client.close()));
  }
}
