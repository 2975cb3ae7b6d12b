import { Caller, CLOCK, type Clock, type Identity, Operation, RequiresPermission } from '@lanyard/service';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiGatewayTimeoutResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { HistoryReader } from '../history/history-reader.js';
import { ResourceHistory } from '../history/resource-history.js';
import { historyPoints } from '../limits.js';
import { type HistoryParameters, readHistoryQuery } from './history-query.js';

@ApiTags('Device state snapshot')
@RequiresPermission('snapshots.read')
@Controller('v3/devices/:deviceId/history')
export class HistoryController {
  constructor(
    private readonly history: HistoryReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    summary: 'Show recent values of a resource',
    description:
      'Shows the values of the last hours, as many as the account keeps (`value_history` of `GET /v3/accounts/me`), by the times at which the device measured them. ' +
      'More than `points` values are put into steps of equal length, with minimum, maximum and mean of numbers. Values of more than 1,024 bytes are not kept.',
    ok: ResourceHistory,
    notFound: 'The account has no such device, or the device no such resource',
  })
  @ApiQuery({
    name: 'path',
    type: String,
    description: 'Of a resource, as `resource_path` of the snapshot',
    example: '/3303/0/5700',
  })
  @ApiQuery({ name: 'from', required: false, type: String, description: 'A time; default: a day before `to`' })
  @ApiQuery({ name: 'to', required: false, type: String, description: 'A time; default: now' })
  @ApiQuery({
    name: 'points',
    required: false,
    schema: {
      type: 'integer',
      minimum: historyPoints.min,
      maximum: historyPoints.max,
      default: historyPoints.default,
    },
    description: 'How many values or steps to return at most',
  })
  @ApiResponse({ status: 400, description: 'The path of a resource is missing, or a time or number is malformed' })
  @ApiGatewayTimeoutResponse()
  show(
    @Caller() caller: Identity,
    @Param('deviceId') deviceId: string,
    @Query() query: HistoryParameters,
  ): Promise<ResourceHistory> {
    const nowMs = this.clock.now();
    return this.history.read(caller.accountId, deviceId, readHistoryQuery(query, nowMs), nowMs);
  }
}
