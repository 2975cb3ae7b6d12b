import { type DeviceSelectionRequested, DeviceSelections } from '@lanyard/contracts';
import { type Batch, OnBatch, storeFacts } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { SelectionAnswers } from './selection-answers.js';

@Controller()
export class SelectionsConsumer {
  constructor(private readonly answers: SelectionAnswers) {}

  @OnBatch(DeviceSelections)
  async onSelections(batch: Batch<DeviceSelectionRequested>): Promise<void> {
    await storeFacts(batch, async (requests) => {
      for (const request of requests) await this.answers.answer(request);
    });
  }
}
