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
import { ApiGatewayTimeoutResponse, ApiTags } from '@nestjs/swagger';
import { DeviceList, deviceListSpec } from '../devices/device-list.js';
import { Devices, deviceFilterHelp } from '../devices/devices.controller.js';
import { MemberIdMissing } from '../errors.js';
import { GroupChanges, Group, Member, NewGroupBody, newGroup } from './group-fields.js';
import { groupListSpec, groupsPerDeviceMax, GroupsService } from './groups.service.js';

const memberId = ({ device_id: deviceId, id }: Member): string => {
  const member = deviceId ?? id;
  if (!member) throw new MemberIdMissing();
  return member;
};

@ApiTags('Device groups')
@Controller('v3/device-groups')
export class GroupsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly devices: DeviceList,
  ) {}

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List device groups',
    description: 'Includes the number of devices of each group.',
    ok: listSchema(Group, 'DeviceGroupList'),
  })
  list(@ListParameters(groupListSpec, 'DeviceGroupFilters') query: ListRequest) {
    return this.groups.list(query.caller.accountId, query, query.caller.deviceGroups);
  }

  @RequiresPermission('devices.write')
  @Post()
  @Operation({
    summary: 'Create a device group',
    description:
      'Custom attributes may be given in `custom_attributes` or as further top-level keys (spec §2.1). The name is unique within the account.',
    created: Group,
    conflict: 'Another device group of the account has this name',
  })
  create(@CurrentRequest() { caller }: RequestContext, @Body({ schema: NewGroupBody }) body: NewGroupBody) {
    return this.groups.create(caller, newGroup(body));
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show a device group',
    description: 'Includes its custom attributes and the number of its devices.',
    ok: Group,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.groups.getVisible(caller, id);
  }

  @RequiresPermission('devices.write')
  @Put(':id')
  @Operation({
    summary: 'Change a device group',
    description: 'Changes only the given fields. `custom_attributes` replaces the whole map.',
    ok: Group,
    conflict: 'Another device group of the account has this name',
  })
  change(
    @ConditionalRequest() { caller, id, ifMatch }: RequestContext,
    @Body({ schema: GroupChanges }) body: GroupChanges,
  ) {
    return this.groups.change(caller, id, body, ifMatch);
  }

  @RequiresPermission('devices.write')
  @Delete(':id')
  @Operation({ summary: 'Delete a device group', description: 'The devices of the group stay in the directory.' })
  @ApiGatewayTimeoutResponse()
  remove(@ConditionalRequest() { caller, id, ifMatch }: RequestContext) {
    return this.groups.remove(caller, id, ifMatch);
  }

  @RequiresPermission('devices.write')
  @Post(':id/devices/add')
  @Operation({
    summary: 'Add a device to a group',
    description: 'The body may call the id `device_id` or `id`. Adding a member again changes nothing.',
    conflict: `The device is already in ${groupsPerDeviceMax} device groups`,
  })
  add(@CurrentRequest() { caller, id }: RequestContext, @Body({ schema: Member }) body: Member) {
    return this.groups.changeMember('add', caller, id, memberId(body));
  }

  @RequiresPermission('devices.write')
  @Post(':id/devices/remove')
  @Operation({
    summary: 'Remove a device from a group',
    description:
      'The body may call the id `device_id` or `id`. Removing a device that is not a member changes nothing.',
  })
  take(@CurrentRequest() { caller, id }: RequestContext, @Body({ schema: Member }) body: Member) {
    return this.groups.changeMember('remove', caller, id, memberId(body));
  }

  @RequiresPermission('devices.read')
  @Get(':id/devices')
  @Operation({ summary: 'List the devices of a group', description: deviceFilterHelp, ok: Devices })
  async members(@Param('id') id: string, @ListParameters(deviceListSpec, 'DeviceFilters') query: ListRequest) {
    await this.groups.mustBeVisible(query.caller, id);
    return this.devices.list(query.caller, query, id);
  }
}
