import { describe, expect, it } from '@jest/globals';
import { type DtlsServerOptions, type HandshakeOfClient } from '../src/index.js';
import { HandshakeType } from '../src/messages/handshake.js';
import { ContentType } from '../src/messages/record.js';
import { keyOf, TestNetwork } from './peers.js';
import { RawClient } from './raw-client.js';

/** A server with the usual timer of 1 s, and another one for each handshake whose identity it was asked for. */
const withTimer = (ownMs: number | undefined): Partial<DtlsServerOptions> => {
  const known = new WeakMap<HandshakeOfClient, number | undefined>();
  return {
    keyOf: (identity, handshake) => {
      known.set(handshake, ownMs);
      return keyOf(identity);
    },
    retransmissionMs: (handshake) => known.get(handshake),
  };
};

const NOTHING = Buffer.alloc(0);

const isClientHello = (datagram: Buffer): boolean =>
  datagram[0] === ContentType.Handshake && datagram[13] === HandshakeType.ClientHello;

/** A Finished comes with it. */
const isChangeCipherSpec = (datagram: Buffer): boolean => datagram[0] === ContentType.ChangeCipherSpec;

/** A resumption whose Finished the server never gets. Timers tick every 50 ms: it is up to 100 ms old. */
const unfinishedResumption = async (options: Partial<DtlsServerOptions>): Promise<TestNetwork> => {
  const net = new TestNetwork(options);
  const { session } = (await net.connected()).dtls;
  net.alterUp = (datagram) => (isClientHello(datagram) ? datagram : NOTHING);
  net.server.sent.length = 0;
  const client = net.client({ session });
  client.connect();
  await net.run(100);
  expect(client.outcome).toBe('connected');
  return net;
};

describe('the timer of a client', () => {
  it.each([
    { ownMs: undefined, sends: [0, 1, 3, 7, 15, 31] },
    { ownMs: 9_000, sends: [0, 9, 27] },
  ])('of $ownMs ms applies to a resumption from its first flight on', async ({ ownMs, sends }) => {
    const net = await unfinishedResumption(withTimer(ownMs));
    const sentAt: number[] = [];
    let second = 0;
    for (; net.server.failures.length === 0; second += 1) {
      if (net.server.sent.splice(0).length > 0) sentAt.push(second);
      net.clock.advance(1_000);
    }
    expect([sentAt, second]).toEqual([sends, 63]);
  });

  it('does not change the duration of a handshake where that is fixed', async () => {
    const net = await unfinishedResumption({ ...withTimer(9_000), limits: { handshakeMs: 5_000 } });
    net.clock.advance(4_500);
    expect(net.server.failures).toEqual([]);
    net.clock.advance(1_000);
    expect(net.server.failures).toMatchObject([{ reason: 'timeout' }]);
  });

  it('does not apply to the first flight of a full handshake: the client is not known yet', () => {
    const raw = new RawClient(withTimer(9_000));
    raw.greet(RawClient.hello());
    raw.takeDatagrams();
    raw.clock.advance(1_000);
    expect(raw.takeDatagrams()).toHaveLength(1);
  });

  // The client repeats its own flight after 1, 3, 7 and 15 s.
  it.each([
    { ownMs: undefined, sends: [0, 1, 3, 7, 15] },
    { ownMs: 20_000, sends: [0, 7, 15] },
  ])('of $ownMs ms spaces the repetitions of the last flight of a full handshake', async ({ ownMs, sends }) => {
    const net = new TestNetwork(withTimer(ownMs));
    net.alterDown = (datagram) => (isChangeCipherSpec(datagram) ? NOTHING : datagram);
    net.client().connect();
    const sentAt: number[] = [];
    for (let second = 0; second < 20; second += 1) {
      await net.run(1_000);
      if (net.server.sent.splice(0).some(isChangeCipherSpec)) sentAt.push(second);
    }
    expect(sentAt).toEqual(sends);
  });
});
