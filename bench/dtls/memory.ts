/** Memory of a process for each open DTLS connection, beside OpenSSL. */
import { round } from '../statistics.ts';
import type { Bench } from '../benches.ts';
import { type Kind, Peers } from './peers.ts';

const connections = Number(process.env.LANYARD_BENCH_DEVICES || 20_000);
/** Sockets that one process may have: `ulimit -n` is often 20,000. */
const perLoad = 10_000;
const warmUpSeconds = 5;
const warmUpClients = 64;

const bytesPerConnection = async (peers: Peers, kind: Kind) => {
  const server = await peers.server(kind, 'psk');
  const loads: { stop: () => void }[] = [];
  try {
    // A warm-up: code is compiled, and the young generation of the heap grows to its final size.
    const warmUp = await peers.load(server, 'psk', 'handshakes', warmUpClients, warmUpSeconds);
    await warmUp.ended;
    const before = await server.report();
    for (let left = connections; left > 0; left -= perLoad) {
      const load = await peers.load(server, 'psk', 'hold', Math.min(left, perLoad));
      loads.push(load);
      await load.ended;
    }
    const after = await server.report();
    const added = after.connections - before.connections;
    // Some connections of the warm-up may not have been closed yet.
    if (Math.abs(added - connections) > connections / 1_000)
      throw new Error(`${kind} has ${added} of ${connections} connections`);
    const each = (kib: number) => round((kib * 1_024) / added);
    return {
      [`${kind}_connection_rss_bytes`]: each(after.rssKib - before.rssKib),
      ...(after.usedKib !== undefined && {
        [`${kind}_connection_heap_bytes`]: each(after.usedKib - (before.usedKib ?? 0)),
      }),
    };
  } finally {
    for (const load of loads) load.stop();
    server.stop();
  }
};

export const memory: Bench = {
  about: `memory of each of ${connections} open DTLS connections (LANYARD_BENCH_DEVICES), beside OpenSSL`,
  alone: true,
  async run({ say }) {
    const peers = new Peers(say);
    const figures: Record<string, number> = { connections };
    try {
      for (const kind of peers.kinds) Object.assign(figures, await bytesPerConnection(peers, kind));
    } finally {
      peers.remove();
    }
    return figures;
  },
};
