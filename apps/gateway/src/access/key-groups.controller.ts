import {
  ApiListQuery,
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
  listEnvelope,
  listSchema,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { z } from 'zod';
import { ApplicationListSchema, type ApplicationRecord } from './application-record.js';
import { by } from './by.js';
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

/** What a group may have; users exist in paths only. */
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
  @ApiOperation({
    summary: 'List key groups',
    description: 'Every account starts with the groups Administrators and Developers.',
  })
  @ApiListQuery(listSpec, 'KeyGroupFilters')
  @ApiOkResponse({ standardSchema: KeyGroupListSchema })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<KeyGroupRecord>> {
    return this.groups.list(caller.accountId, parseListQuery(query, listSpec));
  }

  @Post()
  @ApiOperation({
    summary: 'Create a key group',
    description:
      'A group without `permissions` grants everything except administration, as Developers does. `members` adds keys and applications at once.',
  })
  @ApiCreatedResponse({ standardSchema: KeyGroupSchema })
  @ApiConflictResponse({ description: 'Another key group of the account has this name' })
  create(@Caller() caller: Identity, @Body({ schema: NewKeyGroupSchema }) body: NewKeyGroup): Promise<KeyGroupRecord> {
    return this.groups.create(by(caller), body);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Show a key group',
    description: 'Includes the permissions that the group grants and the number of its members.',
  })
  @ApiOkResponse({ standardSchema: KeyGroupSchema })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<KeyGroupRecord> {
    return this.groups.get(caller.accountId, id);
  }

  @Put(':id')
  @ApiOperation({
    summary: 'Change a key group',
    description:
      'Changes only the given fields. New permissions apply to all members within five seconds. At least one active administrator key that does not expire must remain.',
  })
  @ApiOkResponse({ standardSchema: KeyGroupSchema })
  @ApiConflictResponse({ description: 'Another key group of the account has this name' })
  update(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: KeyGroupChangeSchema }) body: KeyGroupChange,
    @Headers('if-match') ifMatch?: string,
  ): Promise<KeyGroupRecord> {
    return this.groups.update(by(caller, ifMatch), id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a key group',
    description:
      'Members lose the permissions that the group granted them. The group Administrators cannot be deleted.',
  })
  @ApiNoContentResponse()
  remove(@Caller() caller: Identity, @Param('id') id: string, @Headers('if-match') ifMatch?: string): Promise<void> {
    return this.groups.remove(by(caller, ifMatch), id);
  }

  @Get(':id/api-keys')
  @ApiOperation({ summary: 'List the API keys of a group', description: 'Keys appear without their secrets.' })
  @ApiListQuery(noFilters)
  @ApiOkResponse({ standardSchema: ApiKeyListSchema })
  keys(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<ApiKeyRecord>> {
    return this.groups.keys(caller.accountId, id, parseListQuery(query, noFilters));
  }

  @Get(':id/applications')
  @ApiOperation({
    summary: 'List the applications of a group',
    description: 'All access keys of these applications have the permissions of the group.',
  })
  @ApiListQuery(noFilters)
  @ApiOkResponse({ standardSchema: ApplicationListSchema })
  applications(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<ApplicationRecord>> {
    return this.groups.applications(caller.accountId, id, parseListQuery(query, noFilters));
  }

  /** There are no users: the list exists because clients ask for it. */
  @Get(':id/users')
  @ApiOperation({
    summary: 'List the users of a group',
    description:
      'Lanyard has no users, so the list is always empty. The path exists for compatibility with existing clients.',
  })
  @ApiListQuery(noFilters)
  @ApiOkResponse({ standardSchema: listSchema(z.never(), 'EmptyList') })
  async users(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<never>> {
    await this.groups.get(caller.accountId, id);
    return listEnvelope<never>([], parseListQuery(query, noFilters), 0);
  }

  /** Without `add`: the older forms of the same call. */
  @Post([':id', ':id/api-keys', ':id/applications', ...members.map((kind) => `:id/${kind}/add`)])
  @HttpCode(200)
  @ApiOperation({
    summary: 'Add API keys and applications to a group',
    description:
      'Adds all given members in one transaction, or none of them. The paths that end in `/add` and the shorter ones do the same; `users` must be empty.',
  })
  @ApiConflictResponse({ description: 'One of the given keys or applications is already a member' })
  @ApiOkResponse({ standardSchema: KeyGroupSchema })
  add(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: MembersSchema }) body: Members,
    @Headers('if-match') ifMatch?: string,
  ): Promise<KeyGroupRecord> {
    return this.groups.add(by(caller, ifMatch), id, body);
  }

  @Post(members.map((kind) => `:id/${kind}/remove`))
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove API keys and applications from a group',
    description: 'Removes the given members. Ids that are not members are ignored.',
  })
  @ApiOkResponse({ standardSchema: KeyGroupSchema })
  take(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: MembersSchema }) body: Members,
    @Headers('if-match') ifMatch?: string,
  ): Promise<KeyGroupRecord> {
    return this.groups.take(by(caller, ifMatch), id, body);
  }

  @Delete([':id/api-keys', ':id/applications'])
  @ApiOperation({
    summary: 'Remove API keys or applications from a group (older form)',
    description: 'The same as the path that ends in `/remove`, kept for older clients.',
  })
  @ApiOkResponse({ standardSchema: KeyGroupSchema })
  leave(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: MembersSchema }) body: Members,
  ): Promise<KeyGroupRecord> {
    return this.groups.take(by(caller), id, body);
  }
}
