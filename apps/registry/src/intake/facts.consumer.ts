import {
  type AccessAccountChanged,
  AccessAccounts,
  type DeviceBootstrapChanged,
  DeviceBootstraps,
  type DeviceContacted,
  DeviceContacts,
  type DeviceSelectionRequested,
  DeviceSelections,
  type DeviceSessionChanged,
  DeviceSessions,
} from '@lanyard/contracts';
import { type Batch, OnBatch, storeFacts } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { BootstrapWriter } from '../bootstrap/bootstrap-writer.js';
import { SystemSuspension } from '../suspension/system-suspension.js';
import { ContactWriter } from './contact-writer.js';
import { SelectionWorker } from './selection-worker.js';
import { SessionWriter } from './session-writer.js';

@Controller()
export class FactsConsumer {
  constructor(
    private readonly sessions: SessionWriter,
    private readonly contacts: ContactWriter,
    private readonly suspension: SystemSuspension,
    private readonly bootstraps: BootstrapWriter,
    private readonly selections: SelectionWorker,
  ) {}

  @OnBatch(DeviceSessions)
  async onSessions(batch: Batch<DeviceSessionChanged>): Promise<void> {
    await storeFacts(batch, (facts) => this.sessions.apply(facts));
  }

  @OnBatch(DeviceContacts)
  async onContacts(batch: Batch<DeviceContacted>): Promise<void> {
    await storeFacts(batch, (facts) => this.contacts.apply(facts));
  }

  @OnBatch(AccessAccounts)
  async onAccounts(batch: Batch<AccessAccountChanged>): Promise<void> {
    await storeFacts(batch, async (accounts) => {
      for (const account of accounts) await this.suspension.recordAccount(account);
    });
  }

  @OnBatch(DeviceBootstraps)
  async onBootstraps(batch: Batch<DeviceBootstrapChanged>): Promise<void> {
    await storeFacts(batch, (facts) => this.bootstraps.apply(facts));
  }

  @OnBatch(DeviceSelections)
  async onSelections(batch: Batch<DeviceSelectionRequested>): Promise<void> {
    await storeFacts(batch, (requests) => this.selections.store(requests));
  }
}
