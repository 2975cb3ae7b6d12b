import { AccessAccounts, type AccessAccountChanged, type ValueHistory, valueHistoryDefault } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';

/** This replica's copy of what accounts want to keep. */
@Injectable()
export class HistorySettingsReader extends StateReader<AccessAccountChanged, ValueHistory | undefined> {
  constructor(kafka: KafkaConnection) {
    super(kafka, AccessAccounts, { project: ({ valueHistory }) => valueHistory });
  }

  settingsOf(accountId: string): ValueHistory {
    return this.get(accountId) ?? valueHistoryDefault;
  }
}
