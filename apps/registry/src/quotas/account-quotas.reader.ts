import { AccessAccounts, type AccessAccountChanged } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';

/** This replica's copy of the quotas of accounts: how many devices each may have; undefined: no limit. */
@Injectable()
export class AccountQuotasReader extends StateReader<AccessAccountChanged, number | undefined> {
  constructor(kafka: KafkaConnection) {
    super(kafka, AccessAccounts, { project: ({ devicesMax }) => devicesMax });
  }
}
