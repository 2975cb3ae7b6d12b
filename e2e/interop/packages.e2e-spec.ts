import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoapStreamEndpoint, CoapUdpEndpoint, Code } from '@lanyard/coap';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareLibcoap } from '../compiled-device.ts';
import { coapClient } from './coap-client.ts';

const bytes = 5 * 1_048_576;
const blockBytes = 1_024;

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

describe("libcoap's coap-client downloads a package", () => {
  const body = randomBytes(bytes);
  const read: { offset: number; length: number }[] = [];
  const onRequest = () =>
    Promise.resolve({
      code: Code.Content,
      contentFormat: 42,
      etag: Buffer.from('v1'),
      source: {
        bytes,
        read: (offset: number, length: number) => {
          read.push({ offset, length });
          return Promise.resolve(body.subarray(offset, offset + length));
        },
      },
    });
  const overUdp = new CoapUdpEndpoint({ host: '127.0.0.1', onRequest });
  const overTcp = new CoapStreamEndpoint({ host: '127.0.0.1', onRequest });
  let folder: string;
  let urls: { udp: string; tcp: string };

  beforeAll(async () => {
    await prepareLibcoap();
    folder = await mkdtemp(join(tmpdir(), 'lanyard-packages-'));
    const [udp, tcp] = await Promise.all([overUdp.listen(), overTcp.listen()]);
    urls = { udp: `coap://127.0.0.1:${udp.port}/downloads/x`, tcp: `coap+tcp://127.0.0.1:${tcp.port}/downloads/x` };
  });
  afterAll(async () => {
    await Promise.all([overUdp.close(), overTcp.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** The digest of what it has written into a file. */
  const download = async (url: string, firstBlock?: number): Promise<string> => {
    read.length = 0;
    const output = join(folder, randomBytes(4).toString('hex'));
    const begin = firstBlock === undefined ? {} : { blocks: `${firstBlock},${blockBytes}` };
    const { code } = await coapClient('coap-client-openssl', { method: 'get', url, output, ...begin });
    expect(code).toBe('2.05');
    return sha256(await readFile(output));
  };

  it('of 5 MiB over UDP, a block at a time', async () => {
    expect(await download(urls.udp)).toBe(sha256(body));
    expect(new Set(read.map(({ length }) => length))).toEqual(new Set([blockBytes]));
  });

  it('of 5 MiB over TCP', async () => {
    expect(await download(urls.tcp)).toBe(sha256(body));
  });

  /** This version ends with the block that it begins with. */
  it.each([1, 3_000, 5_119])('beginning at block %d, as after an interruption', async (first) => {
    const begin = first * blockBytes;
    expect(await download(urls.udp, first)).toBe(sha256(body.subarray(begin, begin + blockBytes)));
    expect(read).toEqual([{ offset: begin, length: blockBytes }]);
  });
});
