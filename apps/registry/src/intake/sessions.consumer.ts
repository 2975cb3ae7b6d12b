import { type DeviceSessionChanged, DeviceSessions } from '@lanyard/contracts';
import { type Batch, OnBatch } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { SessionWriter } from './session-writer.js';

@Controller()
export class SessionsConsumer {
  constructor(private readonly sessions: SessionWriter) {}

  @OnBatch(DeviceSessions)
  async onSessions(batch: Batch<DeviceSessionChanged>): Promise<void> {
    await this.sessions.apply(batch.messages.map((m) => m.value));
  }
}
