/** Full handshakes and messages of `libs/dtls`, compared with OpenSSL for the same clients, and with the minimum that Node needs. */
import { median, round } from '../statistics.ts';
import type { Bench } from '../benches.ts';
import { type Kind, Peers } from './peers.ts';
import type { Mode } from './settings.ts';

const clients = 32;
const warmUpSeconds = 2;

const measure = async (peers: Peers, kind: Kind, mode: Mode, task: 'handshakes' | 'messages', seconds: number) => {
  const server = await peers.server(kind, mode);
  try {
    const run = async (forSeconds: number) =>
      (await peers.load(server, mode, kind === 'bare' ? 'bare' : task, clients, forSeconds)).ended;
    await run(warmUpSeconds);
    await server.report();
    await run(seconds);
    const { cpuMs, [task]: count } = await server.report();
    return { perSecond: count / seconds, cpuUs: (cpuMs * 1_000) / count };
  } finally {
    server.stop();
  }
};

const benchOf = (task: 'handshakes' | 'messages', modes: readonly Mode[], about: string): Bench => ({
  about,
  alone: true,
  async run({ seconds, rounds, say }) {
    const peers = new Peers(say);
    const figures: Record<string, number> = {};
    try {
      for (const mode of modes) {
        const found: Partial<Record<Kind, { perSecond: number; cpuUs: number }[]>> = {};
        const kinds = [...peers.kinds, ...(task === 'handshakes' && mode === 'psk' ? (['bare'] as const) : [])];
        for (let n = 0; n < rounds; n++)
          for (const kind of kinds) (found[kind] ??= []).push(await measure(peers, kind, mode, task, seconds));
        const middle = (kind: Kind, figure: 'perSecond' | 'cpuUs') =>
          median((found[kind] ?? []).map((round) => round[figure]));
        for (const kind of kinds) {
          figures[`${mode}_${kind}_per_second`] = round(middle(kind, 'perSecond'));
          figures[`${mode}_${kind}_cpu_us`] = round(middle(kind, 'cpuUs'));
        }
        for (const kind of kinds)
          if (found.openssl && kind !== 'openssl')
            figures[`${mode}_${kind}_openssl_ratio`] = round(middle(kind, 'cpuUs') / middle('openssl', 'cpuUs'));
      }
    } finally {
      peers.remove();
    }
    return figures;
  },
});

export const handshakes = benchOf(
  'handshakes',
  ['psk', 'ecdhe'],
  'full DTLS handshakes of libs/dtls with 32 clients, and the CPU of the server, beside OpenSSL',
);
export const messages = benchOf(
  'messages',
  ['psk'],
  'DTLS messages of 64 bytes that are echoed, and the CPU of the server, beside OpenSSL',
);
