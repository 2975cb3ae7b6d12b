import { Caller, CLOCK, type Clock, type Identity, RequiresPermission } from '@lanyard/service';
import { Controller, Delete, Get, Inject, Param } from '@nestjs/common';
import { ApiMethodNotAllowedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SnapshotNotDeletable } from '../errors.js';
import { SnapshotReader } from '../resources/snapshot-reader.js';
import { type DeviceEcho, DeviceEchoSchema } from './device-echo.js';

@ApiTags('Device state snapshot')
@RequiresPermission('snapshots.read')
@Controller('v3/devices/:deviceId/echo')
export class EchoController {
  constructor(
    @Inject(SnapshotReader) private readonly snapshots: SnapshotReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Last reported and last desired values of a device' })
  @ApiOkResponse({ standardSchema: DeviceEchoSchema })
  echo(@Caller() caller: Identity, @Param('deviceId') deviceId: string): Promise<DeviceEcho> {
    return this.snapshots.read(caller.accountId, deviceId, this.clock.now());
  }

  @Delete()
  @ApiOperation({ summary: 'Not available: always 405' })
  @ApiMethodNotAllowedResponse({ description: 'A snapshot lives as long as its device' })
  remove(): never {
    throw new SnapshotNotDeletable();
  }
}
