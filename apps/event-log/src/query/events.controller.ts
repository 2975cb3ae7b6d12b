import {
  Caller,
  type Identity,
  ListParameters,
  type ListRequest,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeviceEventListSchema, DeviceEventSchema } from './device-event.js';
import { eventListSpec, EventsReader } from './list-events.js';

const filterHelp =
  'Filters: any field of the record with `__eq`, `__neq`, `__in`, `__nin` (dates: `__gte`, `__lte`), or all of them URL-encoded in `filter`. `event_type` and `event_code` take 106 and SYS_106; `group_id` finds the entries of the current members of a device group.';

/** The device event log (spec §4.2); `devicelog` is the older name of the same path. */
@ApiTags('Device events')
@RequiresPermission('events.read')
@Controller(['v3/device-events', 'v3/devicelog'])
export class EventsController {
  constructor(private readonly events: EventsReader) {}

  @Get()
  @Operation({ summary: 'List device events', description: filterHelp, ok: DeviceEventListSchema })
  list(@ListParameters(eventListSpec, 'DeviceEventFilters') query: ListRequest) {
    return this.events.list(query.caller, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Show a device event',
    description: '`/v3/devicelog/{id}` is an older form of this path.',
    ok: DeviceEventSchema,
  })
  get(@Caller() caller: Identity, @Param('id') id: string) {
    return this.events.get(caller, id);
  }
}
