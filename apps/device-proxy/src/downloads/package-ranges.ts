import type { BodySource } from '@lanyard/coap';
import { Metrics, setBounded } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { FetchQueue } from './fetch-queue.js';
import { rangeBytes, rangesKeptMax } from './limits.js';
import { PackageClient, type PackageInfo } from './package-client.js';
import { TicketEnded } from './package-errors.js';

/** The account that reads a package, its ticket, and how the device gets it. */
export interface Reader {
  ticket: string;
  accountId: string;
  info: PackageInfo;
  delivery: 'pull' | 'push';
}

/** Parts of packages: the ones that were read last are kept in memory, and each is fetched once for all devices that wait for it. */
@Injectable()
export class PackageRanges {
  readonly queue = new FetchQueue();
  private readonly kept = new Map<string, Buffer>();
  private readonly fetching = new Map<string, { ticket: string; part: Promise<Buffer> }>();
  private readonly bytes;
  private readonly counted;

  constructor(
    private readonly client: PackageClient,
    metrics: Metrics,
  ) {
    this.bytes = metrics.counter({
      name: 'lanyard_device_proxy_package_bytes_total',
      help: 'Bytes of packages for devices, pulled by them or pushed to them',
      labelNames: ['delivery'],
    });
    this.counted = metrics.counter({
      name: 'lanyard_device_proxy_package_ranges_total',
      help: 'Parts of packages that were read, by where they came from',
      labelNames: ['from'],
    });
    metrics.observe(
      { name: 'lanyard_device_proxy_package_fetches', help: 'Requests to campaigns for packages, running or waiting' },
      () => this.queue.size,
    );
    metrics.observe(
      { name: 'lanyard_device_proxy_package_ranges_kept', help: 'Parts of 64 KiB of packages in memory' },
      () => this.kept.size,
    );
  }

  /** The package of the reader. `errorOf`: the error to throw instead of TicketEnded or PackageUnavailable. */
  sourceOf(reader: Reader, errorOf: (error: unknown) => unknown): BodySource {
    return {
      bytes: reader.info.bytes,
      read: async (offset, length) => {
        try {
          return await this.read(reader, offset, length);
        } catch (error) {
          throw errorOf(error);
        }
      },
    };
  }

  /** `length` bytes from `offset` on, within the package. Throws TicketEnded or PackageUnavailable. */
  private async read(reader: Reader, offset: number, length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let at = offset; at < offset + length;) {
      const range = Math.floor(at / rangeBytes);
      const begin = at - range * rangeBytes;
      const part = (await this.range(reader, range)).subarray(begin, begin + offset + length - at);
      parts.push(part);
      at += part.length;
    }
    this.bytes.inc({ delivery: reader.delivery }, length);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
  }

  private async range(reader: Reader, number: number): Promise<Buffer> {
    const key = `${reader.info.digest} ${number}`;
    const kept = this.kept.get(key);
    if (kept) {
      setBounded(this.kept, key, kept, rangesKeptMax);
      this.counted.inc({ from: 'memory' });
      return kept;
    }
    const under = this.fetching.get(key);
    if (!under) return this.fetch(reader, number, key);
    try {
      return await under.part;
    } catch (error) {
      // The ticket with which the part was fetched has ended; the ticket of this device may still be valid.
      if (error instanceof TicketEnded && under.ticket !== reader.ticket) return this.range(reader, number);
      throw error;
    }
  }

  private async fetch({ ticket, accountId, info }: Reader, number: number, key: string): Promise<Buffer> {
    const start = number * rangeBytes;
    const length = Math.min(rangeBytes, info.bytes - start);
    const part = this.queue.run(accountId, () => this.client.fetchRange(ticket, info.digest, start, length));
    this.fetching.set(key, { ticket, part });
    try {
      const bytes = await part;
      setBounded(this.kept, key, bytes, rangesKeptMax);
      this.counted.inc({ from: 'campaigns' });
      return bytes;
    } catch (error) {
      this.counted.inc({ from: 'unavailable' });
      throw error;
    } finally {
      this.fetching.delete(key);
    }
  }
}
