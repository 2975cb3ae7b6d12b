import { Caller, type Identity, NotFound } from '@lanyard/service';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Account } from './account.entity.js';
import { accountRecord, type AccountRecord, AccountSchema } from './account-record.js';

@ApiTags('Account')
@Controller('v3/accounts')
export class AccountsController {
  constructor(@Inject(DataSource) private readonly database: DataSource) {}

  @Get('me')
  @ApiOperation({ summary: 'The account of the calling key' })
  @ApiOkResponse({ standardSchema: AccountSchema })
  async me(@Caller() caller: Identity): Promise<AccountRecord> {
    const account = await this.database.manager.findOne(Account, { where: { id: caller.accountId } });
    if (!account) throw new NotFound('No such account.');
    return accountRecord(account);
  }
}
