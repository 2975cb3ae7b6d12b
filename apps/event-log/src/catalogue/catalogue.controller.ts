import { RequiresPermission } from '@lanyard/service';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EventCodeNotFound } from '../errors.js';
import {
  allCodes,
  type EventCode,
  type EventCodeList,
  EventCodeListSchema,
  EventCodeSchema,
  findCode,
} from './event-code.js';

/** The codes of the device event log (spec §6.2), each with what it means and what to do about it. */
@ApiTags('Device events')
@RequiresPermission('events.read')
@Controller('v3/device-event-codes')
export class CatalogueController {
  @Get()
  @ApiOperation({
    summary: 'List the codes of device events',
    description: 'All codes of spec §6.2 and those that Lanyard adds, with their meaning and what to do, on one page.',
  })
  @ApiOkResponse({ standardSchema: EventCodeListSchema })
  list(): EventCodeList {
    const data = allCodes();
    const { length } = data;
    return { object: 'list', data, limit: length, after: null, order: 'ASC', has_more: false, total_count: length };
  }

  @Get(':code')
  @ApiOperation({
    summary: 'Show a code of device events',
    description: 'By its name, for example `SYS_106`, or its number, for example `106`.',
  })
  @ApiOkResponse({ standardSchema: EventCodeSchema })
  get(@Param('code') code: string): EventCode {
    const found = findCode(code);
    if (!found) throw new EventCodeNotFound();
    return found;
  }
}
