import { Caller, CLOCK, type Clock, type Identity, RequiresPermission } from '@lanyard/service';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type StatisticsPart, StatisticsReader } from '../statistics/statistics-reader.js';
import { readStatisticsQuery, type StatisticsParameters } from './statistics-query.js';

/** For the gateway, which exposes no route to it. */
@ApiExcludeController()
@RequiresPermission('devices.read')
@Controller('statistics')
export class StatisticsController {
  constructor(
    private readonly statistics: StatisticsReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  steps(@Caller() { accountId }: Identity, @Query() query: StatisticsParameters): Promise<StatisticsPart> {
    return this.statistics.read(accountId, readStatisticsQuery(query, this.clock.now()));
  }
}
