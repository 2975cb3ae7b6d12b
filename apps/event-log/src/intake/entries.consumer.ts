import {
  type ChannelEventsDropped,
  ChannelsDrops,
  type DeviceEventReported,
  DeviceEvents,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  DeviceSessions,
} from '@lanyard/contracts';
import { type Batch, OnBatch } from '@lanyard/kafka';
import { Controller, Inject } from '@nestjs/common';
import { EntriesStore } from '../log/entries.store.js';
import { dropEntry, lifecycleEntry, reportedEntry, sessionEntry } from '../log/entry.js';

/** Facts in, log entries out. */
@Controller()
export class EntriesConsumer {
  constructor(@Inject(EntriesStore) private readonly entries: EntriesStore) {}

  @OnBatch(DeviceSessions)
  async onSessions(batch: Batch<DeviceSessionChanged>): Promise<void> {
    await this.entries.append(batch.messages.flatMap((m) => sessionEntry(m.value) ?? []));
  }

  @OnBatch(DeviceLifecycle)
  async onLifecycle(batch: Batch<DeviceLifecycleChanged>): Promise<void> {
    await this.entries.append(batch.messages.flatMap((m) => lifecycleEntry(m.value) ?? []));
  }

  @OnBatch(ChannelsDrops)
  async onDrops(batch: Batch<ChannelEventsDropped>): Promise<void> {
    await this.entries.append(batch.messages.map((m) => dropEntry(m.value)));
  }

  @OnBatch(DeviceEvents)
  async onReported(batch: Batch<DeviceEventReported>): Promise<void> {
    await this.entries.append(batch.messages.map((m) => reportedEntry(m.value)));
  }
}
