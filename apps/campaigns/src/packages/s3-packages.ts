import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  type MultipartUpload,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type Clock, ConfigError, type Logger } from '@lanyard/service';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { S3Storage } from '../config.js';
import { StorageUnavailable } from '../errors.js';
import type { ByteRange } from './byte-range.js';
import { BodyMeter, PackageStore, type StoredPackage } from './package-store.js';

/** The smallest part that S3 takes, and how many of an upload are in memory. */
const partBytes = 5_242_880;
const partsAtOnce = 2;

const connectTimeoutMs = 3_000;

/** A request counts as lost if the store neither sends nor takes a byte for this long. */
const silenceMs = 30_000;

const attemptsMax = 3;

/** Only what every S3-compatible store understands: no checksums in trailers, which came with the SDK of 2025. */
const clientOf = (
  { endpoint, region, credentials }: S3Storage,
  requestHandler: NonNullable<S3ClientConfig['requestHandler']>,
): S3Client =>
  new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    maxAttempts: attemptsMax,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler,
  });

/**
 * Of the client that reads packages. A time limit of the socket would also end the download of a device that takes no bytes
 * for a while, and a limit of sockets would let such devices keep others waiting.
 */
const readingHandler = {
  connectionTimeout: connectTimeoutMs,
  requestTimeout: silenceMs,
  throwOnRequestTimeout: true,
  socketTimeout: 0,
  httpAgent: { maxSockets: Infinity },
  httpsAgent: { maxSockets: Infinity },
};

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

/**
 * Objects of a bucket. An object is complete, because it appears when all of its parts have been acknowledged; the signature of
 * each part contains its SHA-256, which the store verifies.
 */
@Injectable()
export class S3Packages extends PackageStore implements OnModuleInit, OnApplicationShutdown {
  private readonly client: S3Client;
  private readonly reader: S3Client;
  private readonly bucket: string;

  constructor(
    private readonly storage: S3Storage,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    super();
    this.client = clientOf(storage, { connectionTimeout: connectTimeoutMs, socketTimeout: silenceMs });
    this.reader = clientOf(storage, readingHandler);
    this.bucket = storage.bucket;
  }

  /** Fails the start if the bucket cannot be used. While the store does not answer, everything but packages works. */
  async onModuleInit(): Promise<void> {
    try {
      await this.client.send(new HeadBucketCommand({ Bucket: this.bucket }));
    } catch (error) {
      const status = statusOf(error);
      if (status !== undefined && status < 500)
        throw new ConfigError('CAMPAIGNS_S3_BUCKET', `the bucket cannot be used: the store answered ${status}`);
      this.logger.warn({ err: error, bucket: this.bucket }, 'store of packages does not answer');
    }
  }

  onApplicationShutdown(): void {
    this.client.destroy();
    this.reader.destroy();
  }

  async store(id: string, body: AsyncIterable<Buffer>, bytesMax: number): Promise<StoredPackage> {
    const meter = new BodyMeter(bytesMax);
    let failure: unknown;
    const measured = Readable.from(meter.measured(body), { objectMode: false }).on(
      'error',
      (error) => (failure = error),
    );
    const upload = new Upload({
      client: this.client,
      params: { Bucket: this.bucket, Key: this.keyOf(id), Body: measured, ContentType: 'application/octet-stream' },
      partSize: partBytes,
      queueSize: partsAtOnce,
    });
    try {
      await upload.done();
    } catch (error) {
      throw failure ?? new StorageUnavailable(error);
    }
    return meter.result();
  }

  async read(id: string, { start, end }: ByteRange): Promise<Readable> {
    try {
      const object = { Bucket: this.bucket, Key: this.keyOf(id), Range: `bytes=${start}-${end}` };
      return this.asWanted((await this.reader.send(new GetObjectCommand(object))).Body as Readable, end - start + 1);
    } catch (error) {
      throw new StorageUnavailable(error);
    }
  }

  async remove(id: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: this.keyOf(id) }));
    await this.abortUploads(this.keyOf(id));
  }

  /** Includes the ids of uploads that broke off while the store did not answer. */
  async *idsBefore(ms: number): AsyncIterable<string[]> {
    const { bucket, client } = this;
    const prefix = this.keyOf('');
    const isOld = (at: Date | undefined): boolean => at !== undefined && at.getTime() < ms;
    const idOf = ({ Key: key = '' }: { Key?: string | undefined }): string => key.slice(prefix.length);
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }))
      yield Contents.filter(({ LastModified: at }) => isOld(at)).map(idOf);
    for await (const uploads of this.uploads(prefix)) yield uploads.filter(({ Initiated: at }) => isOld(at)).map(idOf);
  }

  /** Reads the body only as far as its reader takes it. */
  private asWanted(body: Readable, length: number): Readable {
    const bytes = Readable.from(this.chunksOf(body, length), { objectMode: false });
    // A generator that was not started does not end the body.
    return bytes.once('close', () => body.destroy());
  }

  /**
   * Throws when the store sends nothing for too long while bytes are wanted, and when it sends more or fewer than `length`: the
   * reader has announced them, and its client would wait for those that are missing.
   */
  private async *chunksOf(body: Readable, length: number): AsyncGenerator<Buffer> {
    const silent = (): void => void body.destroy(new Error(`the store has sent nothing for ${silenceMs} ms`));
    let timer = this.clock.after(silenceMs, silent);
    let missing = length;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        timer.cancel();
        missing -= chunk.length;
        if (missing < 0) break;
        yield chunk;
        timer = this.clock.after(silenceMs, silent);
      }
    } finally {
      timer.cancel();
    }
    if (missing !== 0) throw new Error(`the store has sent ${missing < 0 ? 'more' : 'fewer'} than ${length} bytes`);
  }

  /** The parts of uploads whose replica died cost storage, although they are no object. */
  private async abortUploads(key: string): Promise<void> {
    const { bucket: Bucket, client } = this;
    for await (const uploads of this.uploads(key))
      for (const { Key, UploadId } of uploads)
        if (Key === key) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }

  /** Uploads that have not ended, a page at a time. */
  private async *uploads(prefix: string): AsyncIterable<MultipartUpload[]> {
    const wanted = { Bucket: this.bucket, Prefix: prefix };
    try {
      let page = await this.client.send(new ListMultipartUploadsCommand(wanted));
      yield page.Uploads ?? [];
      // A store that does not say where the next page begins would give this one again.
      while (page.IsTruncated && page.NextKeyMarker) {
        const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
        page = await this.client.send(new ListMultipartUploadsCommand({ ...wanted, KeyMarker, UploadIdMarker }));
        yield page.Uploads ?? [];
      }
    } catch (error) {
      // Some stores do not list uploads: a rule of the bucket ends them.
      if (statusOf(error) !== 501) throw error;
    }
  }

  private keyOf(id: string): string {
    return this.storage.prefix + id;
  }
}
