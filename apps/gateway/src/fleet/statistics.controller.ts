import {
  Caller,
  CLOCK,
  type Clock,
  formatTimestamp,
  type Identity,
  Operation,
  RequiresPermission,
  ValidationFailed,
} from '@lanyard/service';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { UpstreamUnavailable } from '../errors.js';
import { mustSeeAllDevices } from '../proxy/device-scopes.js';
import { type LeftOut, type PartRequest, UpstreamClient, UpstreamRefused } from '../proxy/upstream-client.js';
import { type DeviceCounts, Statistics, type StepsPart } from './statistics.js';

type StatisticsQuery = Partial<Record<'step_seconds' | 'from' | 'to', string | string[]>>;

const forwardedParameters = ['step_seconds', 'from', 'to'] as const;

/** Statistics of an account: the registry counts devices; the snapshot counts registrations, values and other facts. */
@ApiTags('Statistics')
@RequiresPermission('devices.read')
@Controller('v3/statistics')
export class StatisticsController {
  constructor(
    private readonly client: UpstreamClient,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    summary: 'Show statistics of the account',
    description:
      'Shows the number of devices in each state, and the number of registrations, values, commands and dropped events in each time step. ' +
      'Steps of 10 s are kept for two hours, steps of 300 s for a week. Counts are a second or two behind; each fact is counted once.',
    ok: Statistics,
  })
  @ApiQuery({
    name: 'step_seconds',
    required: false,
    schema: { type: 'integer', enum: [10, 300], default: 10 },
    description: 'Length of the steps',
  })
  @ApiQuery({
    name: 'from',
    required: false,
    type: String,
    description: 'A time; default: an hour before `to`, and a day with steps of 300 s',
  })
  @ApiQuery({ name: 'to', required: false, type: String, description: 'A time; default: now' })
  @ApiResponse({ status: 400, description: 'A parameter is malformed, or the range has too many steps' })
  async show(@Caller() caller: Identity, @Query() query: StatisticsQuery): Promise<Statistics> {
    mustSeeAllDevices(caller);
    const leftOut: LeftOut = [];
    const counts: PartRequest = { upstream: 'registry', path: '/statistics', needed: 'devices.read', leftOut };
    const [devices, steps] = await Promise.all([
      this.client.getPart<DeviceCounts>(caller, counts),
      this.steps(caller, query),
    ]);
    return {
      object: 'statistics',
      created_at: formatTimestamp(this.clock.now()),
      devices: devices ?? null,
      ...steps,
      left_out: leftOut,
    };
  }

  /** The snapshot checks the parameters. Any other refusal is not about the request of the client. */
  private async steps(caller: Identity, query: StatisticsQuery): Promise<StepsPart> {
    const parameters = new URLSearchParams();
    for (const name of forwardedParameters)
      for (const value of [query[name] ?? []].flat()) parameters.append(name, value);
    try {
      return await this.client.get<StepsPart>('snapshot', `/statistics?${parameters.toString()}`, caller);
    } catch (error) {
      if (!(error instanceof UpstreamRefused)) throw error;
      if (error.status === 400) throw new ValidationFailed(error.body.fields ?? []);
      throw new UpstreamUnavailable('snapshot', error);
    }
  }
}
