import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type BodySource, Code, SOURCE_BYTES_MAX } from '../src/index.js';
import { Loopback, peerAt } from './bench-of-endpoints.js';
import { StreamLoopback } from './streams.js';

const net = new Loopback();
const streams = new StreamLoopback();
afterEach(() => Promise.all([net.close(), streams.close()]));

const isLongRun = process.env['LANYARD_TEST_LONG'] === 'true';
const bytes = isLongRun ? SOURCE_BYTES_MAX : 4 * 1_048_576;
const limits = { bodyBytesMax: SOURCE_BYTES_MAX };

/** Made when it is read: the sender never has more of it than one part. */
const madeOnDemand: BodySource = {
  bytes,
  read: async (offset, length) => {
    const part = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at += 4) part.writeUInt32LE(offset + at, at);
    return part;
  },
};

const digestOf = async (source: BodySource): Promise<string> => {
  const hash = createHash('sha256');
  for (let at = 0; at < source.bytes; at += 1_024) hash.update(await source.read(at, 1_024));
  return hash.digest('hex');
};
const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
const put = { method: Code.PUT, path: ['5', '0', '0'], source: madeOnDemand };
const get = { method: Code.GET, path: ['downloads', 'x'] };
const serve = async () => ({ code: Code.Content, etag: Buffer.from('v1'), source: madeOnDemand });

describe(`a source of ${bytes} bytes`, () => {
  it('is sent over UDP and over TCP', async () => {
    const expected = await digestOf(madeOnDemand);
    const overUdp = await net.endpoint({ limits });
    const udpSender = await net.endpoint();
    // One that is not kept may send 4,000 datagrams at once only.
    overUdp.endpoint.keepPeer(peerAt(overUdp, udpSender.port));
    await udpSender.endpoint.request(peerAt(udpSender, overUdp.port), put);
    const overTcp = await streams.endpoint({ limits });
    const tcpSender = await streams.endpoint();
    await tcpSender.endpoint.request(await tcpSender.endpoint.connect({ host: '127.0.0.1', port: overTcp.port }), put);
    expect([overUdp, overTcp].map(({ asked }) => asked.map(({ payload }) => sha256(payload)))).toEqual([
      [expected],
      [expected],
    ]);
  });

  it('is fetched over UDP and over TCP', async () => {
    const expected = await digestOf(madeOnDemand);
    const overUdp = await net.endpoint({ onRequest: serve });
    const udpDevice = await net.endpoint({ limits });
    overUdp.endpoint.keepPeer(peerAt(overUdp, udpDevice.port));
    const fetched = await udpDevice.endpoint.request(peerAt(udpDevice, overUdp.port), get);
    expect(sha256(fetched.payload)).toBe(expected);
    const overTcp = await streams.endpoint({ onRequest: serve });
    const tcpDevice = await streams.endpoint({ limits });
    const toServer = await tcpDevice.endpoint.connect({ host: '127.0.0.1', port: overTcp.port });
    expect(sha256((await tcpDevice.endpoint.request(toServer, get)).payload)).toBe(expected);
  });
});
