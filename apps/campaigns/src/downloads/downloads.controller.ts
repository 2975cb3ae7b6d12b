import { Public } from '@lanyard/service';
import { Controller, Get, Param, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { DownloadNotFound, RangeNotSatisfiable } from '../errors.js';
import { type ByteRange, rangeOf } from '../packages/byte-range.js';
import { PackageStore } from '../packages/package-store.js';
import { Tickets } from './tickets.js';

/** For the device-proxy, which serves the ticket over CoAP to this device only. The gateway removes it. */
const deviceHeader = 'x-lanyard-device';

type ConditionalHeaders = Partial<Record<'range' | 'if-range', string>>;

const type = 'application/octet-stream';

/** For devices, so it is no part of the API of applications. */
@ApiExcludeController()
@Controller('downloads')
export class DownloadsController {
  constructor(
    private readonly tickets: Tickets,
    private readonly packages: PackageStore,
  ) {}

  /**
   * Fastify answers HEAD by the same handler: nothing of the package is read then, and a range is ignored, because only GET
   * has one (RFC 9110 §14.2).
   */
  @Public()
  @Get(':ticket')
  async download(
    @Param('ticket') ticket: string,
    @Req() { method, headers }: Pick<FastifyRequest, 'method'> & { headers: ConditionalHeaders },
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { imageId, range, length } = await this.describe(ticket, method === 'HEAD' ? {} : headers, reply);
    const body = method === 'HEAD' ? Readable.from([]) : await this.packages.read(imageId, range);
    return new StreamableFile(body, { type, length });
  }

  /** Finds the download, and sets the headers of the answer. Throws DownloadNotFound, RangeNotSatisfiable. */
  private async describe(
    ticket: string,
    { range, 'if-range': ifRange }: ConditionalHeaders,
    reply: FastifyReply,
  ): Promise<{ imageId: string; range: ByteRange; length: number }> {
    const found = await this.tickets.find(ticket);
    if (!found) throw new DownloadNotFound();
    const { imageId, deviceId, size, checksum } = found;
    const etag = `"${checksum}"`;
    const part = rangeOf(ifRange === undefined || ifRange === etag ? range : undefined, size);
    void reply.headers({ 'accept-ranges': 'bytes', etag, [deviceHeader]: deviceId, 'cache-control': 'no-store' });
    if (part === 'unsatisfiable') {
      void reply.header('content-range', `bytes */${size}`);
      throw new RangeNotSatisfiable();
    }
    const { start, end } = part ?? { start: 0, end: size - 1 };
    if (part) void reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`);
    return { imageId, range: { start, end }, length: end - start + 1 };
  }
}
