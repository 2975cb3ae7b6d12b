import { describe, expect, it } from '@jest/globals';
import { PERFECT } from './network.js';
import { TestNetwork } from './peers.js';
import { RawClient } from './raw-client.js';

/** At which seconds a peer sends when nothing answers it, and when it gives up. */
const waits: [number, { sends: number[]; server: number; client: number }][] = [
  [1_000, { sends: [0, 1, 3, 7, 15, 31], server: 63, client: 126 }],
  [9_000, { sends: [0, 9, 27], server: 63, client: 126 }],
  [60_000, { sends: [0, 60, 120], server: 180, client: 360 }],
];

describe.each(waits)('with a retransmission timer of %d ms', (retransmissionMs, { sends, server, client }) => {
  it('a server repeats its flight, and waits as long again for the answer', () => {
    const raw = new RawClient({ limits: { retransmissionMs } });
    raw.greet(RawClient.hello());
    const sentAt: number[] = [];
    let second = 0;
    for (; raw.failures.length === 0; second += 1) {
      if (raw.takeDatagrams().length > 0) sentAt.push(second);
      raw.clock.advance(1_000);
    }
    expect([sentAt, second]).toEqual([sends, server]);
    expect(raw.failures).toMatchObject([{ reason: 'timeout' }]);
  });

  it('a client has the time for two flights', async () => {
    const net = new TestNetwork({}, { ...PERFECT, loss: 1 });
    const silent = net.client({ limits: { retransmissionMs } });
    silent.connect();
    net.clock.advance(client * 1_000 - 1_000);
    await net.run(5);
    expect(silent.outcome).toBeUndefined();
    net.clock.advance(1_000);
    await net.run(5);
    expect(silent.outcome).toMatchObject({ reason: 'timeout' });
  });
});
