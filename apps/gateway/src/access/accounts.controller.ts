import {
  AnyKey,
  ConditionalRequest,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  Operation,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  AccountChange,
  AccountList,
  accountRecord,
  AccountRecord,
  AccountUsage,
  CreatedAccountRecord,
  NewAccount,
} from './account-record.js';
import { AccountUsages } from './account-usage.js';
import { AccountsService } from './accounts.service.js';
import { admin, installation } from '../permissions.js';

const listSpec = {
  filters: { id: 'text', display_name: 'text', status: 'text', tier: 'text', created_at: 'date' },
  sets: { status: ['ACTIVE', 'SUSPENDED'], tier: ['0', '1'] },
  ignore: ['properties'],
} as const;

/** `{id}` may be `me`. Other accounts are for administrators of the installation. */
@ApiTags('Accounts')
@Controller('v3/accounts')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly usages: AccountUsages,
  ) {}

  @Get()
  @RequiresPermission(installation)
  @Operation({
    summary: 'List the accounts of the installation',
    description: 'For administrators of the installation.',
    ok: AccountList,
  })
  list(@ListParameters(listSpec, 'AccountFilters') query: ListRequest) {
    return this.accounts.list(query);
  }

  @Post()
  @RequiresPermission(installation)
  @Operation({
    summary: 'Create an account',
    description:
      'For administrators of the installation. The response is the only one that contains `admin_key`, the first administrator key of the account: store it now.',
    created: CreatedAccountRecord,
  })
  create(@CurrentRequest() { caller }: RequestContext, @Body({ schema: NewAccount }) body: NewAccount) {
    return this.accounts.create(caller, body);
  }

  @AnyKey()
  @Get(':id')
  @Operation({
    summary: 'Show an account',
    description:
      '`{id}` may be `me` for the account of the calling key. Other accounts are for administrators of the installation.',
    ok: AccountRecord,
  })
  async get(@CurrentRequest() { caller, id }: RequestContext) {
    return accountRecord(await this.accounts.find(this.accounts.idOf(caller, id)));
  }

  @Put(':id')
  @RequiresPermission(admin)
  @Operation({
    summary: 'Change an account',
    description:
      'Only administrators of the installation may change tier, status and limits; others may send the current values. `SUSPENDED` refuses the keys of the account, suspends its devices, and removes the subscriptions and presubscription rules of its keys, which do not return with `ACTIVE`.',
    ok: AccountRecord,
  })
  update(@ConditionalRequest() context: RequestContext, @Body({ schema: AccountChange }) body: AccountChange) {
    return this.accounts.update(context, body);
  }

  @AnyKey()
  @Get(':id/usage')
  @Operation({
    summary: 'Show the usage of an account',
    description: 'Counts devices, groups, keys and applications, with the quotas that apply. `{id}` may be `me`.',
    ok: AccountUsage,
  })
  async usage(@CurrentRequest() { caller, id }: RequestContext) {
    return this.usages.usageOf(await this.accounts.find(this.accounts.idOf(caller, id)), caller);
  }
}
