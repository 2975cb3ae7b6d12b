import {
  Caller,
  ConditionalRequest,
  CurrentRequest,
  type Identity,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiGatewayTimeoutResponse, ApiTags } from '@nestjs/swagger';
import { openCampaignsMax } from '../limits.js';
import { CampaignActions } from './campaign-actions.js';
import { CampaignDevicesService } from './campaign-devices.service.js';
import { CampaignChanges, NewCampaign } from './campaign-fields.js';
import { Campaign, campaignListSpec } from './campaign-record.js';
import { CampaignsService } from './campaigns.service.js';
import { CampaignDevice, deviceListSpec, Progress } from './device-record.js';

const wrongState = 'The state of the campaign does not allow it';

@ApiTags('Update campaigns')
@RequiresPermission('campaigns')
@Controller('v3/update-campaigns')
export class CampaignsController {
  constructor(
    private readonly campaigns: CampaignsService,
    private readonly actions: CampaignActions,
    private readonly devices: CampaignDevicesService,
  ) {}

  @Get()
  @Operation({
    summary: 'List update campaigns',
    description: 'Lists the campaigns of the account, oldest first.',
    ok: listSchema(Campaign, 'UpdateCampaignList'),
  })
  list(@ListParameters(campaignListSpec, 'UpdateCampaignFilters') query: ListRequest) {
    return this.campaigns.list(query.caller, query);
  }

  @Post()
  @Operation({
    summary: 'Create an update campaign',
    description:
      'A campaign installs a package on the devices of a group, a filter, or both. It is a draft until it is started. Devices must support the object that installs the package: object 5 (firmware update) for firmware images, object 9 (software management) for software packages.',
    created: Campaign,
    notFound: 'The account has no such package',
    conflict: `Another campaign of the account has this name, or the account has ${openCampaignsMax} campaigns that have not ended`,
  })
  create(@Caller() caller: Identity, @Body({ schema: NewCampaign }) body: NewCampaign) {
    return this.campaigns.create(caller, body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show an update campaign',
    description: '`dry_run` contains the counts of the most recent dry run.',
    ok: Campaign,
  })
  get(@Caller() caller: Identity, @Param('id') id: string) {
    return this.campaigns.get(caller, id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change an update campaign',
    description:
      'Changes only the given fields. A campaign that was started keeps its devices, its package and its time-outs; its window, end, concurrency, retries and failure rate can be changed until it has ended.',
    ok: Campaign,
    conflict: `Another campaign of the account has this name, or the campaign has ended`,
  })
  change(
    @ConditionalRequest() { caller, id, ifMatch }: RequestContext,
    @Body({ schema: CampaignChanges }) body: CampaignChanges,
  ) {
    return this.campaigns.change(caller, id, body, ifMatch);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete an update campaign',
    description: 'Deletes a draft, or a campaign that has ended. Its entries in the event log are kept.',
    conflict: wrongState,
  })
  @ApiGatewayTimeoutResponse()
  remove(@ConditionalRequest() { caller, id, ifMatch }: RequestContext) {
    return this.campaigns.remove(caller, id, ifMatch);
  }

  @Post(':id/dry-run')
  @Operation({
    summary: 'Start a dry run of a draft',
    description:
      'Selects the devices and counts what would happen to them; nothing is sent to a device. Poll the campaign until `dry_run.state` is `done`, or `refused` if the group or the filter cannot be used.',
    ok: Campaign,
    conflict: wrongState,
  })
  dryRun(@CurrentRequest() { caller, id }: RequestContext) {
    return this.actions.dryRun(caller, id);
  }

  @Post(':id/start')
  @Operation({
    summary: 'Start an update campaign',
    description:
      'Starts the campaign now, or at `when`. Devices are selected at that moment. A device that another campaign is updating waits until that update ends.',
    ok: Campaign,
    conflict: wrongState,
  })
  start(@CurrentRequest() { caller, id }: RequestContext) {
    return this.actions.start(caller, id);
  }

  @Post(':id/pause')
  @Operation({
    summary: 'Pause an update campaign',
    description: 'No further device starts its update. Updates that are in progress continue.',
    ok: Campaign,
    conflict: wrongState,
  })
  pause(@CurrentRequest() { caller, id }: RequestContext) {
    return this.actions.pause(caller, id);
  }

  @Post(':id/resume')
  @Operation({
    summary: 'Resume an update campaign',
    description: 'Further devices start their updates again.',
    ok: Campaign,
    conflict: wrongState,
  })
  resume(@CurrentRequest() { caller, id }: RequestContext) {
    return this.actions.resume(caller, id);
  }

  @Post(':id/abort')
  @Operation({
    summary: 'Abort an update campaign',
    description:
      'Ends the campaign for every device that has not finished. A device that may already have the package can still install it (`SYS_104`); the others are not updated (`SYS_103`).',
    ok: Campaign,
    conflict: wrongState,
  })
  abort(@CurrentRequest() { caller, id }: RequestContext) {
    return this.actions.abort(caller, id);
  }

  @Get(':id/progress')
  @Operation({
    summary: 'Show the progress of a campaign',
    description: 'Counts the devices of the campaign by state.',
    ok: Progress,
  })
  @ApiGatewayTimeoutResponse()
  progress(@Caller() caller: Identity, @Param('id') id: string) {
    return this.devices.progress(caller, id);
  }

  @Get(':id/devices')
  @Operation({
    summary: 'List the devices of a campaign',
    description: 'Lists the devices with their state; filter with, for example, `?state=failed`.',
    ok: listSchema(CampaignDevice, 'UpdateCampaignDeviceList'),
  })
  listDevices(
    @Param('id') id: string,
    @ListParameters(deviceListSpec, 'UpdateCampaignDeviceFilters') query: ListRequest,
  ) {
    return this.devices.list(query.caller, id, query);
  }
}
