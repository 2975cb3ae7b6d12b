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
import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiConflictResponse, ApiTags } from '@nestjs/swagger';
import { NewProfile, Profile, ProfileChanges, profilesPerAccountMax } from './profile-fields.js';
import { profileListSpec, ProfilesService } from './profiles.service.js';

@ApiTags('Bootstrap profiles')
@Controller('v3/bootstrap-profiles')
export class ProfilesController {
  constructor(private readonly profiles: ProfilesService) {}

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List bootstrap profiles',
    description: 'A bootstrap profile is the LwM2M server account that devices get when they bootstrap.',
    ok: listSchema(Profile, 'BootstrapProfileList'),
  })
  list(@ListParameters(profileListSpec, 'BootstrapProfileFilters') query: ListRequest) {
    return this.profiles.list(query.caller.accountId, query);
  }

  @RequiresPermission('devices.credentials')
  @Post()
  @Operation({
    summary: 'Create a bootstrap profile',
    description: `A device that bootstraps (\`POST /bs\` or \`GET /bspack\` over CoAP, with a credential of the service \`bootstrap\`) gets the LwM2M server account of the profile that applies: that of the device, else that of its groups (of several, the one created first), else that of the account. Each of them has at most one profile, so a repeated request cannot create a second one. At most ${profilesPerAccountMax} per account.`,
    created: Profile,
    notFound: 'The account has no such device or device group',
  })
  @ApiConflictResponse({
    description:
      'The account, group or device already has a profile, another profile has the name, or the account has the maximum number of profiles',
  })
  create(@CurrentRequest() { caller }: RequestContext, @Body({ schema: NewProfile }) body: NewProfile) {
    return this.profiles.create(caller, body);
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show a bootstrap profile',
    description: 'Keys are not part of a profile: each bootstrap creates one, which only the device gets.',
    ok: Profile,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.profiles.get(caller.accountId, id);
  }

  @RequiresPermission('devices.credentials')
  @Put(':id')
  @Operation({
    summary: 'Change a bootstrap profile',
    description:
      'Changes only the given fields. Devices get the change when they bootstrap again: execute `/1/0/9` to trigger that.',
    ok: Profile,
    conflict: 'Another bootstrap profile of the account has this name',
  })
  change(
    @ConditionalRequest() { caller, id, ifMatch }: RequestContext,
    @Body({ schema: ProfileChanges }) body: ProfileChanges,
  ) {
    return this.profiles.change(caller, id, body, ifMatch);
  }

  @RequiresPermission('devices.credentials')
  @Delete(':id')
  @Operation({
    summary: 'Delete a bootstrap profile',
    description: 'Devices keep the LwM2M server account and the credential that they have.',
  })
  remove(@ConditionalRequest() { caller, id, ifMatch }: RequestContext) {
    return this.profiles.remove(caller, id, ifMatch);
  }
}
