import { type DeviceBootstrapChanged, DeviceBootstraps } from '@lanyard/contracts';
import { type Batch, OnBatch, storeFacts } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { BootstrapWriter } from '../bootstrap/bootstrap-writer.js';

@Controller()
export class BootstrapsConsumer {
  constructor(private readonly bootstraps: BootstrapWriter) {}

  @OnBatch(DeviceBootstraps)
  async onBootstraps(batch: Batch<DeviceBootstrapChanged>): Promise<void> {
    await storeFacts(batch, (facts) => this.bootstraps.apply(facts));
  }
}
