import {
  ApiListQuery,
  Caller,
  type Identity,
  type ListEnvelope,
  parseListQuery,
  Permissions,
  type QueryParameters,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accounts } from './accounts.service.js';
import {
  type ApiKeyChange,
  ApiKeyChangeSchema,
  ApiKeyListSchema,
  type ApiKeyRecord,
  ApiKeySchema,
  type NewApiKey,
  NewApiKeySchema,
} from './api-key-record.js';
import { apiKeyListSpec, refuseSecrets } from './api-keys.controller.js';
import { ApiKeys } from './api-keys.service.js';
import { installation } from './permissions.js';

/** Keys of any account, for administrators of the installation: a tenant that lost its last key is helped here. */
@ApiTags('Accounts')
@Permissions(installation)
@Controller('v3/accounts/:account/api-keys')
export class AccountKeysController {
  constructor(
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(ApiKeys) private readonly keys: ApiKeys,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List API keys of an account' })
  @ApiListQuery(apiKeyListSpec, 'ApiKeyFilters')
  @ApiOkResponse({ standardSchema: ApiKeyListSchema })
  async list(@Param('account') account: string, @Query() query: QueryParameters): Promise<ListEnvelope<ApiKeyRecord>> {
    refuseSecrets(query);
    return this.keys.list(await this.existing(account), parseListQuery(query, apiKeyListSpec));
  }

  @Post()
  @ApiOperation({ summary: 'Create an API key of an account' })
  @ApiCreatedResponse({ standardSchema: ApiKeySchema })
  async create(
    @Param('account') account: string,
    @Body({ schema: NewApiKeySchema }) body: NewApiKey,
  ): Promise<ApiKeyRecord> {
    return this.keys.create(await this.existing(account), body);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show an API key of an account' })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  async get(@Param('account') account: string, @Param('id') id: string): Promise<ApiKeyRecord> {
    return this.keys.get(await this.existing(account), id);
  }

  @Put(':id')
  @ApiOperation({ summary: 'Change an API key of an account' })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  async update(
    @Caller() caller: Identity,
    @Param('account') account: string,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema }) body: ApiKeyChange,
  ): Promise<ApiKeyRecord> {
    return this.keys.update({ ...caller, accountId: await this.existing(account) }, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete an API key of an account' })
  @ApiNoContentResponse()
  async remove(@Param('account') account: string, @Param('id') id: string): Promise<void> {
    return this.keys.remove(await this.existing(account), id);
  }

  @Post(':id/reset-secret')
  @HttpCode(200)
  @ApiOperation({ summary: 'New secret for an API key of an account' })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  async resetSecret(
    @Caller() caller: Identity,
    @Param('account') account: string,
    @Param('id') id: string,
  ): Promise<ApiKeyRecord> {
    return this.keys.resetSecret({ ...caller, accountId: await this.existing(account) }, id, {});
  }

  private async existing(id: string): Promise<string> {
    return (await this.accounts.find(id)).id;
  }
}
