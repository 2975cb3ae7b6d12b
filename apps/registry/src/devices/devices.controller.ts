import {
  ApiFilters,
  ConditionalRequest,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  parseListQuery,
  type QueryParameters,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Post, Put, Query, StreamableFile } from '@nestjs/common';
import { ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { exportedCsv } from './device-export.js';
import { DeviceChanges, NewDevice } from './device-fields.js';
import { DeviceList, deviceListSpec } from './device-list.js';
import { Device } from './device-record.js';
import { DevicesService } from './devices.service.js';

export const Devices = listSchema(Device, 'DeviceList');

export const deviceFilterHelp =
  'Filters: fields of the record with `__eq`, `__neq`, `__in`, `__nin` (times also `__gte`, `__lte`), `custom_attributes__<key>`, `groups` for members of device groups, `search` for a part of the name, endpoint name, serial number or id in any case, or all of them URL-encoded in `filter`.';

@ApiTags('Devices')
@Controller('v3/devices')
export class DevicesController {
  constructor(
    private readonly devices: DevicesService,
    private readonly lists: DeviceList,
  ) {}

  @RequiresPermission('devices.read')
  @Get()
  @Operation({ summary: 'List devices', description: deviceFilterHelp, ok: Devices })
  list(@ListParameters(deviceListSpec, 'DeviceFilters') query: ListRequest) {
    return this.lists.list(query.caller, query);
  }

  @RequiresPermission('devices.write')
  @Post()
  @Operation({
    summary: 'Create a device',
    description:
      'Adds the device to the directory before its first contact. Create a credential for it next, so that it can connect. `endpoint_name` is unique within the account.',
    created: Device,
    conflict: 'Another device of the account has this endpoint name',
  })
  create(@CurrentRequest() { caller }: RequestContext, @Body({ schema: NewDevice }) body: NewDevice) {
    return this.devices.create(caller.accountId, body, caller);
  }

  @RequiresPermission('devices.read')
  @Get('export')
  @ApiOperation({ summary: 'Export devices as CSV', description: deviceFilterHelp })
  @ApiFilters(deviceListSpec, 'DeviceFilters')
  @ApiProduces('text/csv')
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string' } } } })
  async export(@CurrentRequest() { caller }: RequestContext, @Query() query: QueryParameters): Promise<StreamableFile> {
    const pages = this.lists.pages(caller, parseListQuery(query, deviceListSpec).filters);
    return new StreamableFile(await exportedCsv(pages), { type: 'text/csv; charset=utf-8' });
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show a device',
    description:
      '`state` says whether the device is registered now, `lifecycle_status` whether an operator or the system has suspended it.',
    ok: Device,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.devices.get(caller, id);
  }

  @RequiresPermission('devices.write')
  @Put(':id')
  @Operation({
    summary: 'Change a device',
    description:
      'Changes only the given fields; null clears a field. With `If-Match`, the change applies only to that version of the record.',
    ok: Device,
    conflict: 'Another device of the account has this endpoint name',
  })
  @ApiForbiddenResponse({ description: 'The key lacks the permission, or the device is suspended' })
  change(
    @ConditionalRequest() { caller, id, ifMatch }: RequestContext,
    @Body({ schema: DeviceChanges }) body: DeviceChanges,
  ) {
    return this.devices.change(caller.accountId, id, body, { ifMatch, actor: caller });
  }

  @RequiresPermission('devices.write')
  @Delete(':id')
  @Operation({
    summary: 'Delete a device',
    description:
      'Disconnects the device; its waiting commands fail. Its credentials, subscriptions and snapshot are removed. The event log keeps its entries.',
  })
  remove(@ConditionalRequest() { caller, id, ifMatch }: RequestContext) {
    return this.devices.remove(caller.accountId, id, { ifMatch, actor: caller });
  }
}
