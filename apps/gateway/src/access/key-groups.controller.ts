import {
  ConditionalRequest,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  Operation,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApplicationList } from './application-record.js';
import { ApiKeyList } from './api-key-record.js';
import { KeyGroupChange, KeyGroupList, KeyGroupRecord, Members, NewKeyGroup } from './key-group-record.js';
import { noFilters } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApplicationsService } from './applications.service.js';
import { UserList } from './user-record.js';
import { UsersService } from './users.service.js';
import { KeyGroupsService } from './key-groups.service.js';
import { admin } from '../permissions.js';

/** Kinds of members in paths; those of users must be empty. */
const members = ['api-keys', 'applications', 'users'];

const listSpec = { filters: { id: 'text', name: 'text' } } as const;

/** Key groups; the interface calls them policy groups. For administrators only. */
@ApiTags('Key groups')
@RequiresPermission(admin)
@Controller('v3/policy-groups')
export class KeyGroupsController {
  constructor(
    private readonly groups: KeyGroupsService,
    private readonly apiKeys: ApiKeysService,
    private readonly applicationsService: ApplicationsService,
    private readonly usersService: UsersService,
  ) {}

  @Get()
  @Operation({
    summary: 'List key groups',
    description: 'Every account starts with the groups Administrators and Developers.',
    ok: KeyGroupList,
  })
  list(@ListParameters(listSpec, 'KeyGroupFilters') query: ListRequest) {
    return this.groups.list(query.caller.accountId, query);
  }

  @Post()
  @Operation({
    summary: 'Create a key group',
    description:
      'A group without `permissions` grants everything except administration, as Developers does. `members` adds keys and applications at once.',
    created: KeyGroupRecord,
    conflict: 'Another key group of the account has this name',
  })
  create(@CurrentRequest() context: RequestContext, @Body({ schema: NewKeyGroup }) body: NewKeyGroup) {
    return this.groups.create(context, body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show a key group',
    description: 'Includes the permissions that the group grants and the number of its members.',
    ok: KeyGroupRecord,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.groups.get(caller.accountId, id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change a key group',
    description:
      'Changes only the given fields. New permissions apply to all members within five seconds. At least one active administrator key that does not expire must remain.',
    ok: KeyGroupRecord,
    conflict: 'Another key group of the account has this name',
  })
  update(@ConditionalRequest() context: RequestContext, @Body({ schema: KeyGroupChange }) body: KeyGroupChange) {
    return this.groups.update(context, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete a key group',
    description:
      'Members lose the permissions that the group granted them. The groups Administrators and Developers cannot be deleted.',
  })
  remove(@ConditionalRequest() context: RequestContext) {
    return this.groups.remove(context);
  }

  @Get(':id/api-keys')
  @Operation({
    summary: 'List the API keys of a group',
    description: 'Keys appear without their secrets.',
    ok: ApiKeyList,
  })
  async keys(@Param('id') id: string, @ListParameters(noFilters) query: ListRequest) {
    const group = await this.groups.get(query.caller.accountId, id);
    return this.apiKeys.list(group.account_id, query, group.id);
  }

  @Get(':id/applications')
  @Operation({
    summary: 'List the applications of a group',
    description: 'All access keys of these applications have the permissions of the group.',
    ok: ApplicationList,
  })
  async applications(@Param('id') id: string, @ListParameters(noFilters) query: ListRequest) {
    const group = await this.groups.get(query.caller.accountId, id);
    return this.applicationsService.list(group.account_id, query, group.id);
  }

  @Get(':id/users')
  @Operation({
    summary: 'List the users of a group',
    description:
      'Lists the people who have signed in with the OpenID provider and whose roles gave them this group at their last sign-in.',
    ok: UserList,
  })
  async users(@Param('id') id: string, @ListParameters(noFilters) query: ListRequest) {
    const group = await this.groups.get(query.caller.accountId, id);
    return this.usersService.list(group.account_id, query, group.id);
  }

  /** Without `add`: the older forms of the same call. */
  @Post([':id', ':id/api-keys', ':id/applications', ...members.map((kind) => `:id/${kind}/add`)])
  @Operation({
    summary: 'Add API keys and applications to a group',
    description:
      'Adds all given members in one transaction, or none of them. The paths that end in `/add` and the shorter ones do the same; `users` must be empty.',
    ok: KeyGroupRecord,
    conflict: 'One of the given keys or applications is already a member',
  })
  add(@ConditionalRequest() context: RequestContext, @Body({ schema: Members }) body: Members) {
    return this.groups.addMembers(context, body);
  }

  @Post(members.map((kind) => `:id/${kind}/remove`))
  @Operation({
    summary: 'Remove API keys and applications from a group',
    description: 'Removes the given members. Ids that are not members are ignored.',
    ok: KeyGroupRecord,
  })
  take(@ConditionalRequest() context: RequestContext, @Body({ schema: Members }) body: Members) {
    return this.groups.removeMembers(context, body);
  }

  @Delete([':id/api-keys', ':id/applications'])
  @Operation({
    summary: 'Remove API keys or applications from a group (older form)',
    description: 'The same as the path that ends in `/remove`, kept for older clients.',
    ok: KeyGroupRecord,
  })
  leave(@CurrentRequest() context: RequestContext, @Body({ schema: Members }) body: Members) {
    return this.groups.removeMembers(context, body);
  }
}
