import {
  ConditionalRequest,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeviceList, deviceListSpec } from '../devices/device-list.js';
import { deviceFilterHelp, Devices } from '../devices/devices.controller.js';
import { filtersOf, NewQuery, QueriesService, QueryChanges, queryListSpec, DeviceQuery } from './queries.service.js';

@ApiTags('Device queries')
@Controller('v3/device-queries')
export class QueriesController {
  constructor(
    private readonly queries: QueriesService,
    private readonly devices: DeviceList,
  ) {}

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List saved queries',
    description: 'A saved query is a named filter of the device list.',
    ok: listSchema(DeviceQuery, 'DeviceQueryList'),
  })
  list(@ListParameters(queryListSpec, 'DeviceQueryFilters') query: ListRequest) {
    return this.queries.list(query.caller.accountId, query);
  }

  @RequiresPermission('devices.write')
  @Post()
  @Operation({
    summary: 'Save a query',
    description: '`query` has the form of the packed `filter` parameter of the device list.',
    created: DeviceQuery,
    conflict: 'Another query of the account has this name',
  })
  create(@CurrentRequest() { caller }: RequestContext, @Body({ schema: NewQuery }) body: NewQuery) {
    return this.queries.create(caller, body);
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show a saved query',
    description: 'Use `…/devices` to list the devices that it matches.',
    ok: DeviceQuery,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.queries.get(caller.accountId, id);
  }

  @RequiresPermission('devices.write')
  @Put(':id')
  @Operation({
    summary: 'Change a saved query',
    description: 'Changes only the given fields.',
    ok: DeviceQuery,
    conflict: 'Another query of the account has this name',
  })
  change(
    @ConditionalRequest() { caller, id, ifMatch }: RequestContext,
    @Body({ schema: QueryChanges }) body: QueryChanges,
  ) {
    return this.queries.change(caller, id, body, ifMatch);
  }

  @RequiresPermission('devices.write')
  @Delete(':id')
  @Operation({ summary: 'Delete a saved query', description: 'The devices that it matches are not affected.' })
  remove(@ConditionalRequest() { caller, id, ifMatch }: RequestContext) {
    return this.queries.remove(caller, id, ifMatch);
  }

  @RequiresPermission('devices.read')
  @Get(':id/devices')
  @Operation({ summary: 'List the devices of a saved query', description: deviceFilterHelp, ok: Devices })
  async found(@Param('id') id: string, @ListParameters(deviceListSpec, 'DeviceFilters') query: ListRequest) {
    const saved = await this.queries.get(query.caller.accountId, id);
    return this.devices.list(query.caller, {
      ...query,
      filters: [...filtersOf(saved.query), ...query.filters],
    });
  }
}
