import {
  ApiListQuery,
  EtagHeader,
  type ListEnvelope,
  ListParameters,
  type ListQuery,
  Operation,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ExistingAccount } from './accounts.service.js';
import {
  type ApiKeyChange,
  ApiKeyChangeSchema,
  ApiKeyListSchema,
  type ApiKeyRecord,
  ApiKeySchema,
  type NewApiKey,
  NewApiKeySchema,
} from './api-key-record.js';
import { apiKeyListSpec, noFilters, refuseSecrets } from './api-keys.controller.js';
import { ApiKeys } from './api-keys.service.js';
import { ByCaller, ByCallerIfMatch, type By } from './by.js';
import { type KeyGroupRecord, KeyGroupListSchema } from './key-group-record.js';
import { KeyGroups } from './key-groups.service.js';
import { installation } from '../permissions.js';
import { GroupIdsSchema } from './record-schemas.js';

const within = (accountId: string, by: By): By => ({ ...by, accountId });

/** Keys of any account, for administrators of the installation, who can help a tenant that lost its last key. */
@ApiTags('Accounts')
@RequiresPermission(installation)
@UseInterceptors(EtagHeader)
@Controller('v3/accounts/:account/api-keys')
export class AccountKeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly groups: KeyGroups,
  ) {}

  @Get()
  @Operation({
    summary: 'List API keys of an account',
    description: 'For administrators of the installation. `key` is a key without its secret part.',
    ok: ApiKeyListSchema,
  })
  @ApiListQuery(apiKeyListSpec, 'ApiKeyFilters')
  list(
    @Param('account', ExistingAccount) account: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<ApiKeyRecord>> {
    refuseSecrets(query);
    return this.keys.list(account, parseListQuery(query, apiKeyListSpec));
  }

  @Post()
  @Operation({
    summary: 'Create an API key of an account',
    description:
      'For administrators of the installation, for example when an account has lost its last key. The response is the only one that contains the whole key.',
    created: ApiKeySchema,
  })
  create(
    @ByCaller() by: By,
    @Param('account', ExistingAccount) account: string,
    @Body({ schema: NewApiKeySchema }) body: NewApiKey,
  ): Promise<ApiKeyRecord> {
    return this.keys.create(within(account, by), body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show an API key of an account',
    description: 'For administrators of the installation. Without its secret.',
    ok: ApiKeySchema,
  })
  get(@Param('account', ExistingAccount) account: string, @Param('id') id: string): Promise<ApiKeyRecord> {
    return this.keys.get(account, id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change an API key of an account',
    description: 'For administrators of the installation. Changes only the given fields.',
    ok: ApiKeySchema,
  })
  update(
    @ByCallerIfMatch() by: By,
    @Param('account', ExistingAccount) account: string,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema }) body: ApiKeyChange,
  ): Promise<ApiKeyRecord> {
    return this.keys.update(within(account, by), id, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete an API key of an account',
    description: 'For administrators of the installation. The key stops working within five seconds.',
  })
  remove(
    @ByCallerIfMatch() by: By,
    @Param('account', ExistingAccount) account: string,
    @Param('id') id: string,
  ): Promise<void> {
    return this.keys.remove(within(account, by), id);
  }

  @Post(':id/reset-secret')
  @Operation({
    summary: 'Reset the secret of an API key of an account',
    description: 'For administrators of the installation. The previous secret stops working within five seconds.',
    ok: ApiKeySchema,
  })
  resetSecret(
    @ByCaller() by: By,
    @Param('account', ExistingAccount) account: string,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema.nullish() }) body: ApiKeyChange | null | undefined,
  ): Promise<ApiKeyRecord> {
    return this.keys.resetSecret(within(account, by), id, body ?? {});
  }

  @Get(':id/groups')
  @Operation({
    summary: 'List the groups of an API key of an account',
    description: 'For administrators of the installation.',
    ok: KeyGroupListSchema,
  })
  async listGroups(
    @Param('account', ExistingAccount) account: string,
    @Param('id') id: string,
    @ListParameters(noFilters) query: ListQuery,
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    const key = await this.keys.get(account, id);
    return this.groups.listOf(key.account_id, 'key', key.id, query);
  }

  @Post(':id/groups/add')
  @Operation({
    summary: 'Add an API key of an account to groups',
    description: 'For administrators of the installation. The body is an array of group ids of that account.',
    ok: ApiKeySchema,
    conflict: 'The application is already a member of one of these groups',
  })
  addGroups(
    @ByCaller() by: By,
    @Param('account', ExistingAccount) account: string,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.keys.addGroups(within(account, by), id, ids);
  }

  @Post(':id/groups/remove')
  @Operation({
    summary: 'Remove an API key of an account from groups',
    description: 'For administrators of the installation. The body is an array of group ids of that account.',
    ok: ApiKeySchema,
  })
  removeGroups(
    @ByCaller() by: By,
    @Param('account', ExistingAccount) account: string,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.keys.removeGroups(within(account, by), id, ids);
  }
}
