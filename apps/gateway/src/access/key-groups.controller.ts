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
  Inject,
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
import { admin } from './permissions.js';

/** What a group may have; users exist in paths only. */
const members = ['api-keys', 'applications', 'users'];

const listSpec = { filters: { id: 'text', name: 'text' } } as const;

/** Key groups; the interface calls them policy groups. For administrators only. */
@ApiTags('Key groups')
@RequiresPermission(admin)
@UseInterceptors(EtagHeader)
@Controller('v3/policy-groups')
export class KeyGroupsController {
  constructor(@Inject(KeyGroups) private readonly groups: KeyGroups) {}

  @Get()
  @ApiOperation({ summary: 'List key groups' })
  @ApiListQuery(listSpec, 'KeyGroupFilters')
  @ApiOkResponse({ standardSchema: KeyGroupListSchema })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<KeyGroupRecord>> {
    return this.groups.list(caller.accountId, parseListQuery(query, listSpec));
  }

  @Post()
  @ApiOperation({ summary: 'Create a key group' })
  @ApiCreatedResponse({ standardSchema: KeyGroupSchema })
  @ApiConflictResponse({ description: 'Another key group of the account has the name' })
  create(@Caller() caller: Identity, @Body({ schema: NewKeyGroupSchema }) body: NewKeyGroup): Promise<KeyGroupRecord> {
    return this.groups.create(by(caller), body);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show a key group' })
  @ApiOkResponse({ standardSchema: KeyGroupSchema })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<KeyGroupRecord> {
    return this.groups.get(caller.accountId, id);
  }

  @Put(':id')
  @ApiOperation({ summary: 'Change the name or the permissions of a key group' })
  @ApiOkResponse({ standardSchema: KeyGroupSchema })
  @ApiConflictResponse({ description: 'Another key group of the account has the name' })
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
  @ApiOperation({ summary: 'Delete a key group; its keys lose what it gave them' })
  @ApiNoContentResponse()
  remove(@Caller() caller: Identity, @Param('id') id: string, @Headers('if-match') ifMatch?: string): Promise<void> {
    return this.groups.remove(by(caller, ifMatch), id);
  }

  @Get(':id/api-keys')
  @ApiOperation({ summary: 'API keys of a group' })
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
  @ApiOperation({ summary: 'Applications of a group' })
  @ApiListQuery(noFilters)
  @ApiOkResponse({ standardSchema: ApplicationListSchema })
  applications(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<ApplicationRecord>> {
    return this.groups.applications(caller.accountId, id, parseListQuery(query, noFilters));
  }

  /** Nobody has users here: the list exists because clients ask for it. */
  @Get(':id/users')
  @ApiOperation({ summary: 'Users of a group: always empty' })
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
  @ApiOperation({ summary: 'Add API keys and applications to a group' })
  @ApiConflictResponse({ description: 'One is in the group already' })
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
  @ApiOperation({ summary: 'Remove API keys and applications from a group' })
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
  @ApiOperation({ summary: 'Remove API keys or applications from a group: the older form' })
  @ApiOkResponse({ standardSchema: KeyGroupSchema })
  leave(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: MembersSchema }) body: Members,
  ): Promise<KeyGroupRecord> {
    return this.groups.take(by(caller), id, body);
  }
}
