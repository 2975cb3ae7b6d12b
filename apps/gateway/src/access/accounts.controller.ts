import {
  AnyKey,
  ApiListQuery,
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Get, Headers, Param, Post, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  type AccountChange,
  AccountChangeSchema,
  AccountListSchema,
  accountRecord,
  type AccountRecord,
  AccountSchema,
  type AccountUsage,
  AccountUsageSchema,
  type CreatedAccountRecord,
  CreatedAccountSchema,
  type NewAccount,
  NewAccountSchema,
} from './account-record.js';
import { AccountUsages } from './account-usage.js';
import { Accounts } from './accounts.service.js';
import { admin, installation } from '../permissions.js';

const listSpec = {
  filters: { id: 'text', display_name: 'text', status: 'text', tier: 'text', created_at: 'date' },
  sets: { status: ['ACTIVE', 'SUSPENDED'], tier: ['0', '1'] },
  ignore: ['properties'],
} as const;

/** `{id}` may be `me`. Other accounts are for administrators of the installation. */
@ApiTags('Accounts')
@UseInterceptors(EtagHeader)
@Controller('v3/accounts')
export class AccountsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly usages: AccountUsages,
  ) {}

  @Get()
  @RequiresPermission(installation)
  @ApiOperation({
    summary: 'List the accounts of the installation',
    description: 'For administrators of the installation.',
  })
  @ApiListQuery(listSpec, 'AccountFilters')
  @ApiOkResponse({ standardSchema: AccountListSchema })
  list(@Query() query: QueryParameters): Promise<ListEnvelope<AccountRecord>> {
    return this.accounts.list(parseListQuery(query, listSpec));
  }

  @Post()
  @RequiresPermission(installation)
  @ApiOperation({
    summary: 'Create an account',
    description:
      'For administrators of the installation. The response is the only one that contains `admin_key`, the first administrator key of the account: store it now.',
  })
  @ApiCreatedResponse({ standardSchema: CreatedAccountSchema })
  create(
    @Caller() caller: Identity,
    @Body({ schema: NewAccountSchema }) body: NewAccount,
  ): Promise<CreatedAccountRecord> {
    return this.accounts.create(caller, body);
  }

  @AnyKey()
  @Get(':id')
  @ApiOperation({
    summary: 'Show an account',
    description:
      '`{id}` may be `me` for the account of the calling key. Other accounts are for administrators of the installation.',
  })
  @ApiOkResponse({ standardSchema: AccountSchema })
  async get(@Caller() caller: Identity, @Param('id') id: string): Promise<AccountRecord> {
    return accountRecord(await this.accounts.find(this.accounts.idOf(caller, id)));
  }

  @Put(':id')
  @RequiresPermission(admin)
  @ApiOperation({
    summary: 'Change an account',
    description:
      'Only administrators of the installation may change tier, status and limits; others may send the current values.',
  })
  @ApiOkResponse({ standardSchema: AccountSchema })
  update(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: AccountChangeSchema }) body: AccountChange,
    @Headers('if-match') ifMatch?: string,
  ): Promise<AccountRecord> {
    return this.accounts.update(caller, this.accounts.idOf(caller, id), body, ifMatch);
  }

  @AnyKey()
  @Get(':id/usage')
  @ApiOperation({
    summary: 'Show the usage of an account',
    description: 'Counts devices, groups, keys and applications, with the quotas that apply. `{id}` may be `me`.',
  })
  @ApiOkResponse({ standardSchema: AccountUsageSchema })
  async usage(@Caller() caller: Identity, @Param('id') id: string): Promise<AccountUsage> {
    return this.usages.of(await this.accounts.find(this.accounts.idOf(caller, id)), caller);
  }
}
