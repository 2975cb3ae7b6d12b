import { AccessAccounts, type AccessAccountChanged } from '@lanyard/contracts';
import { type Batch, OnBatch } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { SystemSuspension } from '../suspension/system-suspension.js';

@Controller()
export class AccountsConsumer {
  constructor(private readonly suspension: SystemSuspension) {}

  @OnBatch(AccessAccounts)
  async onAccounts(batch: Batch<AccessAccountChanged>): Promise<void> {
    for (const { value } of batch.messages) await this.suspension.recordAccount(value);
  }
}
