import { type DeviceBootstrapChanged, DeviceBootstraps } from '@lanyard/contracts';
import { type Batch, OnBatch, storeBatch } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { BootstrapWriter } from '../bootstrap/bootstrap-writer.js';

@Controller()
export class BootstrapsConsumer {
  constructor(private readonly bootstraps: BootstrapWriter) {}

  @OnBatch(DeviceBootstraps)
  async onBootstraps(batch: Batch<DeviceBootstrapChanged>): Promise<void> {
    await storeBatch(
      batch,
      (fact) => [fact],
      (facts) => this.bootstraps.apply(facts),
    );
  }
}
