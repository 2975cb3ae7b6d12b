import { type DeviceContacted, DeviceContacts } from '@lanyard/contracts';
import { type Batch, OnBatch, storeFacts } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { ContactWriter } from './contact-writer.js';

@Controller()
export class ContactsConsumer {
  constructor(private readonly contacts: ContactWriter) {}

  @OnBatch(DeviceContacts)
  async onContacts(batch: Batch<DeviceContacted>): Promise<void> {
    await storeFacts(batch, (facts) => this.contacts.apply(facts));
  }
}
