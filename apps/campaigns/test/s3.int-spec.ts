import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { type Clock, createLogger, newId, systemClock } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
// @ts-expect-error It has no types.
import S3rver from 's3rver';
import { StorageUnavailable } from '../src/errors.js';
import { S3Packages } from '../src/packages/s3-packages.js';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const logger = createLogger({ app: 'campaigns', replicaId: 'test', level: 'silent' });

async function* inChunks(bytes: Buffer, chunkBytes = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

describe('packages in an S3-compatible store', () => {
  let folder: string;
  let server: { run(): Promise<AddressInfo>; close(): Promise<void> };
  let endpoint: string;
  let client: S3Client;
  let packages: S3Packages;

  const open = (bucket: string, over: { endpoint?: string; accessKeyId?: string; clock?: Clock } = {}): S3Packages =>
    new S3Packages(
      {
        ...{ bucket, prefix: 'lanyard/', region: 'us-east-1', endpoint: over.endpoint ?? endpoint },
        credentials: { ...credentials, ...(over.accessKeyId && { accessKeyId: over.accessKeyId }) },
      },
      logger,
      over.clock ?? systemClock,
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 's3-'));
    server = new (S3rver as new (options: object) => typeof server)({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: folder,
    });
    const { port } = await server.run();
    endpoint = `http://127.0.0.1:${port}`;
    client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    await client.send(new CreateBucketCommand({ Bucket: 'packages' }));
    packages = open('packages');
    await packages.onModuleInit();
  });
  afterAll(async () => {
    packages?.onApplicationShutdown();
    client?.destroy();
    await server?.close();
    await rm(folder, { recursive: true });
  });

  const keys = async (): Promise<string[]> =>
    ((await client.send(new ListObjectsV2Command({ Bucket: 'packages' }))).Contents ?? []).map(({ Key = '' }) => Key);

  it.each([1, 3_000_000, 5_242_880, 16_000_001])('stores %d bytes, and reads any range of them', async (size) => {
    const [id, bytes] = [newId(), randomBytes(size)];
    expect(await packages.store(id, inChunks(bytes), size)).toEqual({ size, checksum: sha256(bytes) });
    expect(await keys()).toContain(`lanyard/${id}`);
    const read = async (start: number, end: number) => buffer(await packages.read(id, { start, end }));
    expect(sha256(await read(0, size - 1))).toBe(sha256(bytes));
    // As a device that continues in the middle.
    const half = Math.floor(size / 2);
    expect((await read(half, size - 1)).equals(bytes.subarray(half))).toBe(true);
    await packages.remove(id);
    expect(await keys()).not.toContain(`lanyard/${id}`);
  });

  it('stores nothing of a body that is too large or breaks off', async () => {
    const bytes = randomBytes(12_000_000);
    await expect(packages.store(newId(), inChunks(bytes), bytes.length - 1)).rejects.toMatchObject({ status: 413 });
    const broken = async function* (): AsyncGenerator<Buffer> {
      yield bytes;
      throw new Error('the client is gone');
    };
    await expect(packages.store(newId(), broken(), 64_000_000)).rejects.toThrow('the client is gone');
    expect(await keys()).toEqual([]);
  });

  it('names what was stored before, without other objects of the bucket', async () => {
    const id = newId();
    await packages.store(id, inChunks(Buffer.from('x')), 1);
    const namesBefore = async (ms: number): Promise<string[]> => {
      const all: string[] = [];
      for await (const page of packages.idsBefore(ms)) all.push(...page);
      return all;
    };
    expect(await namesBefore(Date.now() + 60_000)).toEqual([id]);
    expect(await namesBefore(Date.now() - 60_000)).toEqual([]);
    await packages.remove(id);
    await packages.remove(id);
  });

  it('names uploads that broke off, which are no object, on every page of them', async () => {
    const [abandoned, older, recent] = [newId(), newId(), newId()];
    const upload = (id: string, initiated: string): string =>
      `<Upload><Key>lanyard/${id}</Key><UploadId>u</UploadId><Initiated>${initiated}</Initiated></Upload>`;
    const pages = [
      `<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>
       ${upload(abandoned, '2024-01-01T00:00:00Z')}${upload(recent, new Date().toISOString())}`,
      // The last one, as nothing says where another begins.
      `<IsTruncated>true</IsTruncated>${upload(older, '2024-01-01T00:00:00Z')}`,
    ];
    // S3rver lists no uploads.
    const store = createServer(({ url = '' }, response) => {
      const { searchParams: query } = new URL(url, 'http://store');
      const [root, body] = query.has('uploads')
        ? ['ListMultipartUploadsResult', pages[query.has('key-marker') ? 1 : 0]]
        : ['ListBucketResult', '<IsTruncated>false</IsTruncated>'];
      response.setHeader('content-type', 'application/xml').end(`<?xml version="1.0"?><${root}>${body}</${root}>`);
    });
    await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening));
    const other = open('packages', { endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}` });
    const found: string[] = [];
    for await (const page of other.idsBefore(Date.now() - 60_000)) found.push(...page);
    expect(found).toEqual([abandoned, older]);
    other.onApplicationShutdown();
    store.close();
  });

  it('waits for a reader that takes nothing, and not for a store that sends nothing', async () => {
    const sent = randomBytes(1_048_576);
    const store = createServer((_, response) => {
      response.writeHead(206, { 'content-length': sent.length + 1 }).write(sent);
    });
    await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening));
    const clock = new TestClock();
    const silent = open('packages', { endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}`, clock });
    const body = await silent.read(newId(), { start: 0, end: sent.length });
    body.read(0);
    await eventually(() => expect(body.readableLength).toBeGreaterThanOrEqual(body.readableHighWaterMark));
    await clock.advance(60_000);
    let [taken, failure]: [number, unknown] = [0, undefined];
    const reading = (async () => {
      for await (const chunk of body) taken += (chunk as Buffer).length;
    })().catch((error: unknown) => (failure = error));
    await eventually(() => expect(taken).toBe(sent.length));
    await eventually(async () => {
      await clock.advance(30_000);
      expect(failure).toMatchObject({ message: 'the store has sent nothing for 30000 ms' });
    });
    await reading;
    silent.onApplicationShutdown();
    store.close();
  });

  it.each([
    ['fewer', 9],
    ['more', 11],
  ])('a range of which the store sends %s bytes ends with an error', async (which, size) => {
    const store = createServer((_, response) => {
      response.writeHead(206, { 'content-length': size }).end(randomBytes(size));
    });
    await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening));
    const other = open('packages', { endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}` });
    const body = await other.read(newId(), { start: 0, end: 9 });
    await expect(buffer(body)).rejects.toThrow(`the store has sent ${which} than 10 bytes`);
    other.onApplicationShutdown();
    store.close();
  });

  it('refuses to start with a bucket that is not there or with an unknown key, and says which setting', async () => {
    const other = open('other');
    const unknown = open('packages', { accessKeyId: 'unknown' });
    await expect(other.onModuleInit()).rejects.toThrow(/CAMPAIGNS_S3_BUCKET.*404/);
    await expect(unknown.onModuleInit()).rejects.toThrow(/403/);
    for (const each of [other, unknown]) each.onApplicationShutdown();
  });

  it('starts while the store is away, and answers 503', async () => {
    const away = open('packages', { endpoint: 'http://127.0.0.1:9' });
    await away.onModuleInit();
    await expect(away.store(newId(), inChunks(Buffer.from('x')), 1)).rejects.toThrow(StorageUnavailable);
    await expect(away.read(newId(), { start: 0, end: 1 })).rejects.toMatchObject({ status: 503 });
    await expect(packages.read(newId(), { start: 0, end: 1 })).rejects.toThrow(StorageUnavailable);
    away.onApplicationShutdown();
  });
});
