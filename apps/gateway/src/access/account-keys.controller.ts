import {
  ApiListQuery,
  type By,
  ByCaller,
  ByCallerIfMatch,
  ListParameters,
  type ListRequest,
  Operation,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ExistingAccount } from './accounts.service.js';
import { ApiKeyChange, ApiKeyList, ApiKeyRecord, NewApiKey } from './api-key-record.js';
import { apiKeyListSpec, noFilters, refuseSecrets } from './api-keys.controller.js';
import { ApiKeys } from './api-keys.service.js';
import { KeyGroupList } from './key-group-record.js';
import { KeyGroups } from './key-groups.service.js';
import { installation } from '../permissions.js';
import { GroupIds } from './record-schemas.js';

/** Keys of any account, for administrators of the installation, who can help a tenant that lost its last key. */
@ApiTags('Accounts')
@RequiresPermission(installation)
@Controller('v3/accounts/:account/api-keys')
export class AccountKeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly groups: KeyGroups,
  ) {}

  @Get()
  @Operation({
    summary: 'List API keys of an account',
    description: 'For administrators of the installation. `key` is the key without its secret part.',
    ok: ApiKeyList,
  })
  @ApiListQuery(apiKeyListSpec, 'ApiKeyFilters')
  list(@ByCaller(ExistingAccount) by: By, @Query() query: QueryParameters) {
    refuseSecrets(query);
    return this.keys.list(by.accountId, parseListQuery(query, apiKeyListSpec));
  }

  @Post()
  @Operation({
    summary: 'Create an API key of an account',
    description:
      'For administrators of the installation, for example when an account has lost its last key. The response is the only one that contains the whole key.',
    created: ApiKeyRecord,
  })
  create(@ByCaller(ExistingAccount) by: By, @Body({ schema: NewApiKey }) body: NewApiKey) {
    return this.keys.create(by, body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show an API key of an account',
    description: 'For administrators of the installation. The secret is not returned.',
    ok: ApiKeyRecord,
  })
  get(@ByCaller(ExistingAccount) by: By) {
    return this.keys.get(by.accountId, by.id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change an API key of an account',
    description: 'For administrators of the installation. Changes only the given fields.',
    ok: ApiKeyRecord,
  })
  update(@ByCallerIfMatch(ExistingAccount) by: By, @Body({ schema: ApiKeyChange }) body: ApiKeyChange) {
    return this.keys.update(by, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete an API key of an account',
    description: 'For administrators of the installation. The key stops working within five seconds.',
  })
  remove(@ByCallerIfMatch(ExistingAccount) by: By) {
    return this.keys.remove(by);
  }

  @Post(':id/reset-secret')
  @Operation({
    summary: 'Reset the secret of an API key of an account',
    description: 'For administrators of the installation. The previous secret stops working within five seconds.',
    ok: ApiKeyRecord,
  })
  resetSecret(
    @ByCallerIfMatch(ExistingAccount) by: By,
    @Body({ schema: ApiKeyChange.nullish() }) body: ApiKeyChange | null | undefined,
  ) {
    return this.keys.resetSecret(by, body ?? {});
  }

  @Get(':id/groups')
  @Operation({
    summary: 'List the groups of an API key of an account',
    description: 'For administrators of the installation.',
    ok: KeyGroupList,
  })
  async listGroups(@ByCaller(ExistingAccount) by: By, @ListParameters(noFilters) query: ListRequest) {
    const key = await this.keys.get(by.accountId, by.id);
    return this.groups.list(key.account_id, query, { kind: 'key', id: key.id });
  }

  @Post(':id/groups/add')
  @Operation({
    summary: 'Add an API key of an account to groups',
    description: 'For administrators of the installation. The body is an array of group ids of that account.',
    ok: ApiKeyRecord,
    conflict: 'The key is already a member of one of these groups',
  })
  addGroups(@ByCaller(ExistingAccount) by: By, @Body({ schema: GroupIds }) ids: string[]) {
    return this.keys.addGroups(by, ids);
  }

  @Post(':id/groups/remove')
  @Operation({
    summary: 'Remove an API key of an account from groups',
    description: 'For administrators of the installation. The body is an array of group ids of that account.',
    ok: ApiKeyRecord,
  })
  removeGroups(@ByCaller(ExistingAccount) by: By, @Body({ schema: GroupIds }) ids: string[]) {
    return this.keys.removeGroups(by, ids);
  }
}
