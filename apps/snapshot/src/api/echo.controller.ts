import { Caller, CLOCK, type Clock, type Identity, Operation, RequiresPermission } from '@lanyard/service';
import { Controller, Delete, Get, Inject, Param, StreamableFile } from '@nestjs/common';
import { ApiMethodNotAllowedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import { SnapshotNotDeletable } from '../errors.js';
import { SnapshotReader } from '../resources/snapshot-reader.js';
import { DeviceEcho } from '../resources/device-echo.js';

@ApiTags('Device state snapshot')
@RequiresPermission('snapshots.read')
@Controller('v3/devices/:deviceId/echo')
export class EchoController {
  constructor(
    private readonly snapshots: SnapshotReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    summary: 'Show the state snapshot of a device',
    description:
      'Shows the last reported and the last desired value of every known resource, with the times and the status of the last write (spec §2.4). Available while the device is asleep or offline. Values are base64; `decoded` contains them in their own type if the object is known.',
    ok: DeviceEcho,
  })
  async echo(@Caller() caller: Identity, @Param('deviceId') deviceId: string): Promise<DeviceEcho | StreamableFile> {
    const echo = await this.snapshots.read(caller.accountId, deviceId, this.clock.now());
    return echo instanceof Readable ? new StreamableFile(echo, { type: 'application/json; charset=utf-8' }) : echo;
  }

  @Delete()
  @ApiOperation({
    summary: 'Delete the state snapshot of a device (not available)',
    description: 'Always answers 405 (spec §2.4 rule 4). Snapshots are deleted 6 months after the last connection.',
  })
  @ApiMethodNotAllowedResponse({ description: 'A snapshot cannot be deleted' })
  remove(): never {
    throw new SnapshotNotDeletable();
  }
}
