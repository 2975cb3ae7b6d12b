import { DeviceGroups, type DeviceGroupsChanged } from '@lanyard/contracts';
import { type Batch, OnBatch } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { MembershipStore } from './membership-store.js';

@Controller()
export class MembershipsConsumer {
  constructor(private readonly memberships: MembershipStore) {}

  @OnBatch(DeviceGroups)
  async onGroups(batch: Batch<DeviceGroupsChanged>): Promise<void> {
    await this.memberships.apply(batch.messages.map((m) => m.value));
  }
}
