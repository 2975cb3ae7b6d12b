import { Public } from '@lanyard/service';
import { Controller, Get, Headers, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DownloadNotFound, RangeNotSatisfiable } from '../errors.js';
import { PackageFiles } from '../packages/package-files.js';
import { rangeOf } from './byte-range.js';
import { Tickets } from './tickets.js';

/** For the device-proxy, which serves the ticket over CoAP to this device only. The gateway removes it. */
const deviceHeader = 'x-lanyard-device';

/** For devices, so it is no part of the API of applications. */
@ApiExcludeController()
@Controller('downloads')
export class DownloadsController {
  constructor(
    private readonly tickets: Tickets,
    private readonly files: PackageFiles,
  ) {}

  /** Fastify answers HEAD by the same handler, without the body. */
  @Public()
  @Get(':ticket')
  async download(
    @Param('ticket') ticket: string,
    @Headers('range') range: string | undefined,
    @Headers('if-range') ifRange: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
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
    return new StreamableFile(this.files.read(imageId, { start, end }), {
      type: 'application/octet-stream',
      length: end - start + 1,
    });
  }
}
