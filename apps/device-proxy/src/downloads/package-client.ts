import { CONFIG } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Dispatcher, Pool } from 'undici';
import type { DeviceProxyConfig } from '../config.js';
import { connectTimeoutMs, fetchesAtOnce, fetchTimeoutMs } from './limits.js';
import { PackageUnavailable, TicketEnded } from './package-errors.js';

/** The package that a ticket opens. */
export interface PackageInfo {
  /** The only device that may download it. */
  deviceId: string;
  /** SHA-256 in hex. */
  digest: string;
  bytes: number;
}

type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { body: Buffer };

const digestPattern = /^"([0-9a-f]{64})"$/;

const digestIn = ({ headers }: Answer): string | undefined => digestPattern.exec(String(headers['etag']))?.[1];

/** Asks campaigns for packages. A ticket is a secret: neither an error nor a log contains the URL. */
@Injectable()
export class PackageClient implements OnApplicationShutdown {
  private readonly pools: readonly Pool[];
  private turn = 0;

  constructor(@Inject(CONFIG) { campaignsUrls }: Pick<DeviceProxyConfig, 'campaignsUrls'>) {
    this.pools = campaignsUrls.map(
      (url) => new Pool(new URL(url).origin, { connections: fetchesAtOnce, connect: { timeout: connectTimeoutMs } }),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.destroy()));
  }

  /** Throws TicketEnded or PackageUnavailable. */
  async describe(ticket: string): Promise<PackageInfo> {
    const answer = await this.ask('HEAD', ticket, {});
    const { 'x-lanyard-device': deviceId, 'content-length': length } = answer.headers;
    const digest = digestIn(answer);
    const bytes = Number(length);
    if (answer.statusCode !== 200 || typeof deviceId !== 'string' || digest === undefined || !Number.isInteger(bytes))
      throw new PackageUnavailable(`campaigns answered HEAD with ${answer.statusCode}, which names no package`);
    return { deviceId, digest, bytes };
  }

  /** All bytes of the range that begins at `start`. Throws TicketEnded or PackageUnavailable. */
  async fetchRange(ticket: string, digest: string, start: number, length: number): Promise<Buffer> {
    const answer = await this.ask('GET', ticket, {
      range: `bytes=${start}-${start + length - 1}`,
      'if-range': `"${digest}"`,
    });
    if (answer.statusCode !== 206 || digestIn(answer) !== digest || answer.body.length !== length)
      throw new PackageUnavailable(`campaigns answered a range with ${answer.statusCode}, which is not that part`);
    return answer.body;
  }

  /** Asks the replicas one after the other, each once, until one answers with a status below 500. */
  private async ask(method: 'GET' | 'HEAD', ticket: string, headers: Record<string, string>): Promise<Answer> {
    let failure = new PackageUnavailable('DEVICE_PROXY_CAMPAIGNS_URLS is not set');
    const first = this.turn++;
    for (let at = 0; at < this.pools.length; at++) {
      const pool = this.pools[(first + at) % this.pools.length]!;
      const answer = await this.askOne(pool, method, ticket, headers).catch((error: unknown) => {
        failure = new PackageUnavailable(`campaigns did not answer: ${String(error)}`);
      });
      if (answer?.statusCode === 404) throw new TicketEnded();
      if (answer && answer.statusCode < 500) return answer;
      if (answer) failure = new PackageUnavailable(`campaigns answered ${answer.statusCode}`);
    }
    throw failure;
  }

  private async askOne(
    pool: Pool,
    method: 'GET' | 'HEAD',
    ticket: string,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const signal = AbortSignal.timeout(fetchTimeoutMs);
    const path = `/downloads/${ticket}`;
    const { statusCode, headers: received, body } = await pool.request({ method, path, headers, signal });
    // Any other answer would contain the whole package.
    if (statusCode !== 206) await body.dump();
    const bytes = statusCode === 206 ? Buffer.from(await body.arrayBuffer()) : Buffer.alloc(0);
    return { statusCode, headers: received, body: bytes };
  }
}
