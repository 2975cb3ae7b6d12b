import {
  type DeviceCommandFinished,
  DeviceCommandResults,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSelectionAnswered,
  DeviceSelectionPages,
  type DeviceSessionChanged,
  DeviceSessions,
} from '@lanyard/contracts';
import { type Batch, OnBatch, storeBatch, storedTogether, storeFacts } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { CommandResults } from '../progress/command-results.js';
import { DevicePresence } from '../progress/device-presence.js';
import { SelectionPages } from '../progress/selection-pages.js';

@Controller()
export class FactsConsumer {
  constructor(
    private readonly results: CommandResults,
    private readonly presence: DevicePresence,
    private readonly pages: SelectionPages,
  ) {}

  @OnBatch(DeviceCommandResults)
  async onResults(batch: Batch<DeviceCommandFinished>): Promise<void> {
    await storeBatch(
      batch,
      (fact) => (fact.campaignId === undefined ? [] : [fact]),
      (facts) => this.results.apply(facts),
    );
  }

  @OnBatch(DeviceSessions, storedTogether)
  async onSessions(batch: Batch<DeviceSessionChanged>): Promise<void> {
    await storeFacts(batch, (facts) => this.presence.applySessions(facts));
  }

  @OnBatch(DeviceLifecycle, storedTogether)
  async onLifecycle(batch: Batch<DeviceLifecycleChanged>): Promise<void> {
    await storeFacts(batch, (facts) => this.presence.applyLifecycle(facts));
  }

  @OnBatch(DeviceSelectionPages)
  async onPages(batch: Batch<DeviceSelectionAnswered>): Promise<void> {
    await storeFacts(batch, async (pages) => {
      for (const page of pages) await this.pages.apply(page);
    });
  }
}
