/** Memory of a process for each open DTLS connection, beside OpenSSL. */
import { round } from '../statistics.ts';
import type { Bench } from '../benches.ts';
import { type Kind, Workplace } from './peers.ts';

const connections = Number(process.env.LANYARD_BENCH_DEVICES || 20_000);
/** Sockets that one process may have: `ulimit -n` is often 20,000. */
const perLoad = 10_000;
const warmUpConnections = 500;

const bytesPerConnection = async (place: Workplace, kind: Kind) => {
  const server = await place.server(kind, 'psk');
  const loads: { stop: () => void }[] = [];
  const connect = async (sockets: number) => {
    const load = await place.load(server, 'psk', 'hold', sockets);
    loads.push(load);
    await load.ended;
  };
  try {
    // Not measured: code is compiled, and tables have their first size.
    await connect(warmUpConnections);
    const before = await server.report();
    for (let left = connections; left > 0; left -= perLoad) await connect(Math.min(left, perLoad));
    const after = await server.report();
    const added = after.connections - before.connections;
    if (added !== connections) throw new Error(`${kind} has ${added} of ${connections} connections`);
    return ((after.rssKib - before.rssKib) * 1_024) / added;
  } finally {
    for (const load of loads) load.stop();
    server.stop();
  }
};

export const memory: Bench = {
  about: `resident memory of each of ${connections} open DTLS connections (LANYARD_BENCH_DEVICES), beside OpenSSL`,
  alone: true,
  async run({ say }) {
    const place = new Workplace(say);
    const figures: Record<string, number> = { connections };
    try {
      for (const kind of place.kinds)
        figures[`${kind}_connection_rss_bytes`] = round(await bytesPerConnection(place, kind));
    } finally {
      place.remove();
    }
    return figures;
  },
};
