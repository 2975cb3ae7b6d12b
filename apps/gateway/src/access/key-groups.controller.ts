import {
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
  listEnvelope,
  ListParameters,
  type ListQuery,
  listSchema,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ApplicationListSchema, type ApplicationRecord } from './application-record.js';
import { ByCaller, ByCallerIfMatch, type By } from './by.js';
import { ApiKeyListSchema, type ApiKeyRecord } from './api-key-record.js';
import {
  type KeyGroupChange,
  KeyGroupChangeSchema,
  KeyGroupListSchema,
  type KeyGroupRecord,
  KeyGroupSchema,
  type Members,
  MembersSchema,
  type NewKeyGroup,
  NewKeyGroupSchema,
} from './key-group-record.js';
import { noFilters } from './api-keys.controller.js';
import { KeyGroups } from './key-groups.service.js';
import { admin } from '../permissions.js';

/** Kinds of members in paths; there are no users. */
const members = ['api-keys', 'applications', 'users'];

const listSpec = { filters: { id: 'text', name: 'text' } } as const;

/** Key groups; the interface calls them policy groups. For administrators only. */
@ApiTags('Key groups')
@RequiresPermission(admin)
@UseInterceptors(EtagHeader)
@Controller('v3/policy-groups')
export class KeyGroupsController {
  constructor(private readonly groups: KeyGroups) {}

  @Get()
  @Operation({
    summary: 'List key groups',
    description: 'Every account starts with the groups Administrators and Developers.',
    ok: KeyGroupListSchema,
  })
  list(
    @Caller() caller: Identity,
    @ListParameters(listSpec, 'KeyGroupFilters') query: ListQuery,
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    return this.groups.list(caller.accountId, query);
  }

  @Post()
  @Operation({
    summary: 'Create a key group',
    description:
      'A group without `permissions` grants everything except administration, as Developers does. `members` adds keys and applications at once.',
    created: KeyGroupSchema,
    conflict: 'Another key group of the account has this name',
  })
  create(@ByCaller() by: By, @Body({ schema: NewKeyGroupSchema }) body: NewKeyGroup): Promise<KeyGroupRecord> {
    return this.groups.create(by, body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show a key group',
    description: 'Includes the permissions that the group grants and the number of its members.',
    ok: KeyGroupSchema,
  })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<KeyGroupRecord> {
    return this.groups.get(caller.accountId, id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change a key group',
    description:
      'Changes only the given fields. New permissions apply to all members within five seconds. At least one active administrator key that does not expire must remain.',
    ok: KeyGroupSchema,
    conflict: 'Another key group of the account has this name',
  })
  update(
    @ByCallerIfMatch() by: By,
    @Param('id') id: string,
    @Body({ schema: KeyGroupChangeSchema }) body: KeyGroupChange,
  ): Promise<KeyGroupRecord> {
    return this.groups.update(by, id, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete a key group',
    description:
      'Members lose the permissions that the group granted them. The group Administrators cannot be deleted.',
  })
  remove(@ByCallerIfMatch() by: By, @Param('id') id: string): Promise<void> {
    return this.groups.remove(by, id);
  }

  @Get(':id/api-keys')
  @Operation({
    summary: 'List the API keys of a group',
    description: 'Keys appear without their secrets.',
    ok: ApiKeyListSchema,
  })
  keys(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @ListParameters(noFilters) query: ListQuery,
  ): Promise<ListEnvelope<ApiKeyRecord>> {
    return this.groups.keys(caller.accountId, id, query);
  }

  @Get(':id/applications')
  @Operation({
    summary: 'List the applications of a group',
    description: 'All access keys of these applications have the permissions of the group.',
    ok: ApplicationListSchema,
  })
  applications(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @ListParameters(noFilters) query: ListQuery,
  ): Promise<ListEnvelope<ApplicationRecord>> {
    return this.groups.applications(caller.accountId, id, query);
  }

  /** There are no users; the list exists because clients request it. */
  @Get(':id/users')
  @Operation({
    summary: 'List the users of a group',
    description:
      'Lanyard has no users, so the list is always empty. The path exists for compatibility with existing clients.',
    ok: listSchema(z.never(), 'EmptyList'),
  })
  async users(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @ListParameters(noFilters) query: ListQuery,
  ): Promise<ListEnvelope<never>> {
    await this.groups.get(caller.accountId, id);
    return listEnvelope<never>([], query, 0);
  }

  /** Without `add`: the older forms of the same call. */
  @Post([':id', ':id/api-keys', ':id/applications', ...members.map((kind) => `:id/${kind}/add`)])
  @Operation({
    summary: 'Add API keys and applications to a group',
    description:
      'Adds all given members in one transaction, or none of them. The paths that end in `/add` and the shorter ones do the same; `users` must be empty.',
    ok: KeyGroupSchema,
    conflict: 'One of the given keys or applications is already a member',
  })
  add(
    @ByCallerIfMatch() by: By,
    @Param('id') id: string,
    @Body({ schema: MembersSchema }) body: Members,
  ): Promise<KeyGroupRecord> {
    return this.groups.add(by, id, body);
  }

  @Post(members.map((kind) => `:id/${kind}/remove`))
  @Operation({
    summary: 'Remove API keys and applications from a group',
    description: 'Removes the given members. Ids that are not members are ignored.',
    ok: KeyGroupSchema,
  })
  take(
    @ByCallerIfMatch() by: By,
    @Param('id') id: string,
    @Body({ schema: MembersSchema }) body: Members,
  ): Promise<KeyGroupRecord> {
    return this.groups.take(by, id, body);
  }

  @Delete([':id/api-keys', ':id/applications'])
  @Operation({
    summary: 'Remove API keys or applications from a group (older form)',
    description: 'The same as the path that ends in `/remove`, kept for older clients.',
    ok: KeyGroupSchema,
  })
  leave(
    @ByCaller() by: By,
    @Param('id') id: string,
    @Body({ schema: MembersSchema }) body: Members,
  ): Promise<KeyGroupRecord> {
    return this.groups.take(by, id, body);
  }
}
