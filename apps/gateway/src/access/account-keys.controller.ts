import {
  ApiListQuery,
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
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
import { Accounts } from './accounts.service.js';
import {
  type ApiKeyChange,
  ApiKeyChangeSchema,
  ApiKeyListSchema,
  type ApiKeyRecord,
  ApiKeySchema,
  GroupIdsSchema,
  type NewApiKey,
  NewApiKeySchema,
} from './api-key-record.js';
import { apiKeyListSpec, noFilters, refuseSecrets } from './api-keys.controller.js';
import { ApiKeys } from './api-keys.service.js';
import { by, type By } from './by.js';
import { type KeyGroupRecord, KeyGroupListSchema } from './key-group-record.js';
import { KeyGroups } from './key-groups.service.js';
import { installation } from '../permissions.js';

/** Keys of any account, for administrators of the installation: a tenant that lost its last key is helped here. */
@ApiTags('Accounts')
@RequiresPermission(installation)
@UseInterceptors(EtagHeader)
@Controller('v3/accounts/:account/api-keys')
export class AccountKeysController {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: ApiKeys,
    private readonly groups: KeyGroups,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List API keys of an account',
    description: 'For administrators of the installation. `key` is a key without its secret part.',
  })
  @ApiListQuery(apiKeyListSpec, 'ApiKeyFilters')
  @ApiOkResponse({ standardSchema: ApiKeyListSchema })
  async list(@Param('account') account: string, @Query() query: QueryParameters): Promise<ListEnvelope<ApiKeyRecord>> {
    refuseSecrets(query);
    return this.keys.list(await this.existing(account), parseListQuery(query, apiKeyListSpec));
  }

  @Post()
  @ApiOperation({
    summary: 'Create an API key of an account',
    description:
      'For administrators of the installation, for example when an account has lost its last key. The response is the only one that contains the whole key.',
  })
  @ApiCreatedResponse({ standardSchema: ApiKeySchema })
  async create(
    @Caller() caller: Identity,
    @Param('account') account: string,
    @Body({ schema: NewApiKeySchema }) body: NewApiKey,
  ): Promise<ApiKeyRecord> {
    return this.keys.create(await this.within(account, caller), body);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Show an API key of an account',
    description: 'For administrators of the installation. Without its secret.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  async get(@Param('account') account: string, @Param('id') id: string): Promise<ApiKeyRecord> {
    return this.keys.get(await this.existing(account), id);
  }

  @Put(':id')
  @ApiOperation({
    summary: 'Change an API key of an account',
    description: 'For administrators of the installation. Changes only the given fields.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  async update(
    @Caller() caller: Identity,
    @Param('account') account: string,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema }) body: ApiKeyChange,
    @Headers('if-match') ifMatch?: string,
  ): Promise<ApiKeyRecord> {
    return this.keys.update(await this.within(account, caller, ifMatch), id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an API key of an account',
    description: 'For administrators of the installation. The key stops working within five seconds.',
  })
  @ApiNoContentResponse()
  async remove(
    @Caller() caller: Identity,
    @Param('account') account: string,
    @Param('id') id: string,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    return this.keys.remove(await this.within(account, caller, ifMatch), id);
  }

  @Post(':id/reset-secret')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reset the secret of an API key of an account',
    description: 'For administrators of the installation. The previous secret stops working within five seconds.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  async resetSecret(
    @Caller() caller: Identity,
    @Param('account') account: string,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema.nullish() }) body: ApiKeyChange | null | undefined,
  ): Promise<ApiKeyRecord> {
    return this.keys.resetSecret(await this.within(account, caller), id, body ?? {});
  }

  @Get(':id/groups')
  @ApiOperation({
    summary: 'List the groups of an API key of an account',
    description: 'For administrators of the installation.',
  })
  @ApiListQuery(noFilters)
  @ApiOkResponse({ standardSchema: KeyGroupListSchema })
  async listGroups(
    @Param('account') account: string,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    const key = await this.keys.get(await this.existing(account), id);
    return this.groups.listOf(key.account_id, 'key', key.id, parseListQuery(query, noFilters));
  }

  @Post(':id/groups/add')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Add an API key of an account to groups',
    description: 'For administrators of the installation. The body is an array of group ids of that account.',
  })
  @ApiConflictResponse({ description: 'The application is already a member of one of these groups' })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  async addGroups(
    @Caller() caller: Identity,
    @Param('account') account: string,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.keys.addGroups(await this.within(account, caller), id, ids);
  }

  @Post(':id/groups/remove')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove an API key of an account from groups',
    description: 'For administrators of the installation. The body is an array of group ids of that account.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  async removeGroups(
    @Caller() caller: Identity,
    @Param('account') account: string,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.keys.removeGroups(await this.within(account, caller), id, ids);
  }

  private async within(account: string, caller: Identity, ifMatch?: string): Promise<By> {
    return by(caller, ifMatch, await this.existing(account));
  }

  private async existing(id: string): Promise<string> {
    return (await this.accounts.find(id)).id;
  }
}
