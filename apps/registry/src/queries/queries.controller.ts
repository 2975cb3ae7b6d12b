import {
  Caller,
  EtagHeader,
  type Identity,
  type JsonText,
  type ListEnvelope,
  ListParameters,
  type ListQuery,
  listSchema,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Headers, Param, Post, Put, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeviceList, deviceListSpec } from '../devices/device-list.js';
import { deviceFilterHelp, DeviceListSchema } from '../devices/devices.controller.js';
import {
  type DeviceQuery,
  filtersOf,
  type NewQuery,
  NewQuerySchema,
  QueriesService,
  type QueryChanges,
  QueryChangesSchema,
  queryListSpec,
  QuerySchema,
} from './queries.service.js';

@ApiTags('Device queries')
@UseInterceptors(EtagHeader)
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
    ok: listSchema(QuerySchema, 'DeviceQueryList'),
  })
  list(
    @Caller() caller: Identity,
    @ListParameters(queryListSpec, 'DeviceQueryFilters') query: ListQuery,
  ): Promise<ListEnvelope<DeviceQuery>> {
    return this.queries.list(caller.accountId, query);
  }

  @RequiresPermission('devices.write')
  @Post()
  @Operation({
    summary: 'Save a query',
    description: '`query` has the form of the packed `filter` parameter of the device list.',
    created: QuerySchema,
    conflict: 'Another query of the account has this name',
  })
  create(@Caller() caller: Identity, @Body({ schema: NewQuerySchema }) body: NewQuery): Promise<DeviceQuery> {
    return this.queries.create(caller, body);
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show a saved query',
    description: 'Use `…/devices` to list the devices that it matches.',
    ok: QuerySchema,
  })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<DeviceQuery> {
    return this.queries.get(caller.accountId, id);
  }

  @RequiresPermission('devices.write')
  @Put(':id')
  @Operation({
    summary: 'Change a saved query',
    description: 'Changes only the given fields.',
    ok: QuerySchema,
    conflict: 'Another query of the account has this name',
  })
  change(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: QueryChangesSchema }) body: QueryChanges,
    @Headers('if-match') ifMatch?: string,
  ): Promise<DeviceQuery> {
    return this.queries.change(caller, id, body, ifMatch);
  }

  @RequiresPermission('devices.write')
  @Delete(':id')
  @Operation({ summary: 'Delete a saved query', description: 'The devices that it matches are not affected.' })
  remove(@Caller() caller: Identity, @Param('id') id: string, @Headers('if-match') ifMatch?: string): Promise<void> {
    return this.queries.remove(caller, id, ifMatch);
  }

  @RequiresPermission('devices.read')
  @Get(':id/devices')
  @Operation({ summary: 'List the devices of a saved query', description: deviceFilterHelp, ok: DeviceListSchema })
  async found(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @ListParameters(deviceListSpec, 'DeviceFilters') query: ListQuery,
  ): Promise<JsonText> {
    const saved = await this.queries.get(caller.accountId, id);
    const wanted = query;
    return this.devices.list(caller.accountId, { ...wanted, filters: [...filtersOf(saved.query), ...wanted.filters] });
  }
}
