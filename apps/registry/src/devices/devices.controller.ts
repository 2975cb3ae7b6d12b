import {
  ApiFilters,
  ApiListQuery,
  Caller,
  type Identity,
  type JsonText,
  listSchema,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  StreamableFile,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { exportedCsv } from './device-export.js';
import { type DeviceChanges, DeviceChangesSchema, type NewDevice, NewDeviceSchema } from './device-fields.js';
import { DeviceList, deviceListSpec } from './device-list.js';
import { DeviceSchema } from './device-record.js';
import { DevicesService } from './devices.service.js';

export const DeviceListSchema = listSchema(DeviceSchema, 'DeviceList');

export const deviceFilterHelp =
  'Filters: fields of the record with `__eq`, `__neq`, `__in`, `__nin` (times also `__gte`, `__lte`), `custom_attributes__<key>`, `groups` for members of device groups, or all of them URL-encoded in `filter`.';

@ApiTags('Devices')
@Controller('v3/devices')
export class DevicesController {
  constructor(
    private readonly devices: DevicesService,
    private readonly lists: DeviceList,
  ) {}

  @RequiresPermission('devices.read')
  @Get()
  @ApiOperation({ summary: 'List devices', description: deviceFilterHelp })
  @ApiListQuery(deviceListSpec, 'DeviceFilters')
  @ApiOkResponse({ standardSchema: DeviceListSchema })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<JsonText> {
    return this.lists.list(caller.accountId, parseListQuery(query, deviceListSpec));
  }

  @RequiresPermission('devices.write')
  @Post()
  @ApiOperation({
    summary: 'Create a device',
    description:
      'Adds the device to the directory before its first contact. Create a credential for it next, so that it can connect. `endpoint_name` is unique within the account.',
  })
  @ApiCreatedResponse({ standardSchema: DeviceSchema })
  @ApiConflictResponse({ description: 'Another device of the account has this endpoint name' })
  create(@Caller() caller: Identity, @Body({ schema: NewDeviceSchema }) body: NewDevice): Promise<JsonText> {
    return this.devices.create(caller.accountId, body, caller);
  }

  @RequiresPermission('devices.read')
  @Get('export')
  @ApiOperation({ summary: 'Export devices as CSV', description: deviceFilterHelp })
  @ApiFilters(deviceListSpec, 'DeviceFilters')
  @ApiProduces('text/csv')
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string' } } } })
  export(@Caller() caller: Identity, @Query() query: QueryParameters): StreamableFile {
    const pages = this.lists.pages(caller.accountId, parseListQuery(query, deviceListSpec).filters);
    return new StreamableFile(exportedCsv(pages), { type: 'text/csv; charset=utf-8' });
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @ApiOperation({
    summary: 'Show a device',
    description:
      '`state` says whether the device is registered now, `lifecycle_status` whether an operator has suspended it.',
  })
  @ApiOkResponse({ standardSchema: DeviceSchema })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<JsonText> {
    return this.devices.get(caller.accountId, id);
  }

  @RequiresPermission('devices.write')
  @Put(':id')
  @ApiOperation({
    summary: 'Change a device',
    description:
      'Changes only the given fields; null clears a field. With `If-Match`, the change applies only to that version of the record.',
  })
  @ApiOkResponse({ standardSchema: DeviceSchema })
  @ApiForbiddenResponse({ description: 'The key lacks the permission, or the device is suspended' })
  @ApiConflictResponse({ description: 'Another device of the account has this endpoint name' })
  change(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: DeviceChangesSchema }) body: DeviceChanges,
    @Headers('if-match') ifMatch?: string,
  ): Promise<JsonText> {
    return this.devices.change(caller.accountId, id, body, { ifMatch, actor: caller });
  }

  @RequiresPermission('devices.write')
  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a device',
    description:
      'Disconnects the device; its waiting commands fail. Its credentials, subscriptions and snapshot are removed. The event log keeps its entries.',
  })
  @ApiNoContentResponse()
  remove(@Caller() caller: Identity, @Param('id') id: string, @Headers('if-match') ifMatch?: string): Promise<void> {
    return this.devices.remove(caller.accountId, id, { ifMatch, actor: caller });
  }
}
