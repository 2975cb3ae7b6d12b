import { ListParameters, type ListQuery, Operation, RequiresPermission } from '@lanyard/service';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EventCodeNotFound } from '../errors.js';
import { eventCodeListSpec, EventCodeList, EventCode, findCode, listCodes } from './event-code.js';

/** The codes of the device event log (spec §6.2), each with what it means and what to do about it. */
@ApiTags('Device events')
@RequiresPermission('events.read')
@Controller('v3/device-event-codes')
export class CatalogueController {
  @Get()
  @Operation({
    summary: 'List the codes of device events',
    description:
      'Lists all codes of spec §6.2 and those that Lanyard adds, with their meaning and their remedy. They are returned on one page unless `limit` is given.',
    ok: EventCodeList,
  })
  list(@ListParameters(eventCodeListSpec, 'DeviceEventCodeFilters') query: ListQuery) {
    return listCodes(query);
  }

  @Get(':code')
  @Operation({
    summary: 'Show a code of device events',
    description: 'Finds the code by its name, for example `SYS_106`, or its number, for example `106`.',
    ok: EventCode,
  })
  get(@Param('code') code: string): EventCode {
    const found = findCode(code);
    if (!found) throw new EventCodeNotFound();
    return found;
  }
}
