import {
  ApiListQuery,
  ConditionalRequest,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  Operation,
  parseListQuery,
  type QueryParameters,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ExistingAccount } from './accounts.service.js';
import { ApiKeyChange, ApiKeyList, ApiKeyRecord, NewApiKey } from './api-key-record.js';
import { apiKeyListSpec, noFilters, refuseSecrets } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyGroupList } from './key-group-record.js';
import { KeyGroupsService } from './key-groups.service.js';
import { installation } from '../permissions.js';
import { GroupIds } from './record-schemas.js';

/** Keys of any account, for administrators of the installation, who can help a tenant that lost its last key. */
@ApiTags('Accounts')
@RequiresPermission(installation)
@Controller('v3/accounts/:account/api-keys')
export class AccountKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly groups: KeyGroupsService,
  ) {}

  @Get()
  @Operation({
    summary: 'List API keys of an account',
    description: 'For administrators of the installation. `key` is the key without its secret part.',
    ok: ApiKeyList,
  })
  @ApiListQuery(apiKeyListSpec, 'ApiKeyFilters')
  list(@CurrentRequest(ExistingAccount) context: RequestContext, @Query() query: QueryParameters) {
    refuseSecrets(query);
    return this.keys.list(context.accountId, parseListQuery(query, apiKeyListSpec));
  }

  @Post()
  @Operation({
    summary: 'Create an API key of an account',
    description:
      'For administrators of the installation, for example when an account has lost its last key. The response is the only one that contains the whole key.',
    created: ApiKeyRecord,
  })
  create(@CurrentRequest(ExistingAccount) context: RequestContext, @Body({ schema: NewApiKey }) body: NewApiKey) {
    return this.keys.create(context, body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show an API key of an account',
    description: 'For administrators of the installation. The secret is not returned.',
    ok: ApiKeyRecord,
  })
  get(@CurrentRequest(ExistingAccount) context: RequestContext) {
    return this.keys.get(context.accountId, context.id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change an API key of an account',
    description: 'For administrators of the installation. Changes only the given fields.',
    ok: ApiKeyRecord,
  })
  update(
    @ConditionalRequest(ExistingAccount) context: RequestContext,
    @Body({ schema: ApiKeyChange }) body: ApiKeyChange,
  ) {
    return this.keys.update(context, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete an API key of an account',
    description: 'For administrators of the installation. The key stops working within five seconds.',
  })
  remove(@ConditionalRequest(ExistingAccount) context: RequestContext) {
    return this.keys.remove(context);
  }

  @Post(':id/reset-secret')
  @Operation({
    summary: 'Reset the secret of an API key of an account',
    description: 'For administrators of the installation. The previous secret stops working within five seconds.',
    ok: ApiKeyRecord,
  })
  resetSecret(
    @ConditionalRequest(ExistingAccount) context: RequestContext,
    @Body({ schema: ApiKeyChange.nullish() }) body: ApiKeyChange | null | undefined,
  ) {
    return this.keys.resetSecret(context, body ?? {});
  }

  @Get(':id/groups')
  @Operation({
    summary: 'List the groups of an API key of an account',
    description: 'For administrators of the installation.',
    ok: KeyGroupList,
  })
  async listGroups(
    @CurrentRequest(ExistingAccount) context: RequestContext,
    @ListParameters(noFilters) query: ListRequest,
  ) {
    const key = await this.keys.get(context.accountId, context.id);
    return this.groups.list(key.account_id, query, { kind: 'key', id: key.id });
  }

  @Post(':id/groups/add')
  @Operation({
    summary: 'Add an API key of an account to groups',
    description: 'For administrators of the installation. The body is an array of group ids of that account.',
    ok: ApiKeyRecord,
    conflict: 'The key is already a member of one of these groups',
  })
  addGroups(@CurrentRequest(ExistingAccount) context: RequestContext, @Body({ schema: GroupIds }) ids: string[]) {
    return this.keys.addGroups(context, ids);
  }

  @Post(':id/groups/remove')
  @Operation({
    summary: 'Remove an API key of an account from groups',
    description: 'For administrators of the installation. The body is an array of group ids of that account.',
    ok: ApiKeyRecord,
  })
  removeGroups(@CurrentRequest(ExistingAccount) context: RequestContext, @Body({ schema: GroupIds }) ids: string[]) {
    return this.keys.removeGroups(context, ids);
  }
}
