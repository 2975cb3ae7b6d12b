import { type CampaignCommandIssued, CampaignsCommands } from '@lanyard/contracts';
import { type Batch, OnBatch, storeFacts } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { CampaignCommands } from './campaign-commands.js';

/** Commands that campaigns issues for devices. The offset is committed when the command is in the queue of its device. */
@Controller()
export class CampaignCommandsConsumer {
  constructor(private readonly commands: CampaignCommands) {}

  @OnBatch(CampaignsCommands)
  onCommands(batch: Batch<CampaignCommandIssued>): Promise<void> {
    return storeFacts(batch, (facts) => this.commands.apply(facts));
  }
}
