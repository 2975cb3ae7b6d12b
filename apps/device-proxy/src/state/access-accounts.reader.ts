import { type AccessAccountChanged, AccessAccounts } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';

/** This replica's copy of the accounts that the gateway announces. */
@Injectable()
export class AccessAccountsReader extends StateReader<AccessAccountChanged> {
  constructor(kafka: KafkaConnection) {
    super(kafka, AccessAccounts, { project: (account) => account });
  }

  isSuspended(accountId: string): boolean {
    return this.get(accountId)?.status === 'suspended';
  }
}
