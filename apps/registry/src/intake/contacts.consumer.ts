import { type DeviceContacted, DeviceContacts } from '@lanyard/contracts';
import { type Batch, OnBatch, storeBatch } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { ContactWriter } from './contact-writer.js';

@Controller()
export class ContactsConsumer {
  constructor(private readonly contacts: ContactWriter) {}

  @OnBatch(DeviceContacts)
  async onContacts(batch: Batch<DeviceContacted>): Promise<void> {
    await storeBatch(
      batch,
      (fact) => [fact],
      (facts) => this.contacts.apply(facts),
    );
  }
}
