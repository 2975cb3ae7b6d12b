import { ApiListQuery, parseListQuery, type QueryParameters, RequiresPermission } from '@lanyard/service';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EventCodeNotFound } from '../errors.js';
import {
  type EventCode,
  type EventCodeList,
  eventCodeListSpec,
  EventCodeListSchema,
  EventCodeSchema,
  findCode,
  listCodes,
} from './event-code.js';

/** The codes of the device event log (spec §6.2), each with what it means and what to do about it. */
@ApiTags('Device events')
@RequiresPermission('events.read')
@Controller('v3/device-event-codes')
export class CatalogueController {
  @Get()
  @ApiOperation({
    summary: 'List the codes of device events',
    description:
      'All codes of spec §6.2 and those that Lanyard adds, with their meaning and what to do. Returned on one page unless `limit` is given.',
  })
  @ApiListQuery(eventCodeListSpec, 'DeviceEventCodeFilters')
  @ApiOkResponse({ standardSchema: EventCodeListSchema })
  list(@Query() query: QueryParameters): EventCodeList {
    return listCodes(parseListQuery(query, eventCodeListSpec));
  }

  @Get(':code')
  @ApiOperation({
    summary: 'Show a code of device events',
    description: 'Identified by its name, for example `SYS_106`, or its number, for example `106`.',
  })
  @ApiOkResponse({ standardSchema: EventCodeSchema })
  get(@Param('code') code: string): EventCode {
    const found = findCode(code);
    if (!found) throw new EventCodeNotFound();
    return found;
  }
}
