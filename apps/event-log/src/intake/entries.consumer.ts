import {
  type ChannelEventsDropped,
  ChannelsDrops,
  type DeviceCommandFinished,
  DeviceCommandResults,
  type DeviceEventReported,
  DeviceEvents,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  DeviceSessions,
  headerNames,
} from '@lanyard/contracts';
import { type Batch, OnBatch, type Received, storeBatch, storedTogether } from '@lanyard/kafka';
import { Controller } from '@nestjs/common';
import { EntriesStore } from '../log/entries.store.js';
import { dropEntry, type LogEntry, lifecycleEntry, reportedEntry, sessionEntry, unreachedEntry } from '../log/entry.js';

@Controller()
export class EntriesConsumer {
  constructor(private readonly entries: EntriesStore) {}

  @OnBatch(DeviceSessions, storedTogether)
  async onSessions(batch: Batch<DeviceSessionChanged>): Promise<void> {
    await this.store(batch, sessionEntry);
  }

  @OnBatch(DeviceLifecycle, storedTogether)
  async onLifecycle(batch: Batch<DeviceLifecycleChanged>): Promise<void> {
    await this.store(batch, (fact, { headers }) => lifecycleEntry(fact, headers.get(headerNames.requestId)));
  }

  @OnBatch(DeviceCommandResults, storedTogether)
  async onResults(batch: Batch<DeviceCommandFinished>): Promise<void> {
    await this.store(batch, (fact, { headers }) => unreachedEntry(fact, headers.get(headerNames.requestId)));
  }

  @OnBatch(ChannelsDrops, storedTogether)
  async onDrops(batch: Batch<ChannelEventsDropped>): Promise<void> {
    await this.store(batch, dropEntry);
  }

  @OnBatch(DeviceEvents, storedTogether)
  async onReported(batch: Batch<DeviceEventReported>): Promise<void> {
    await this.store(batch, reportedEntry);
  }

  private store<V>(batch: Batch<V>, entryOf: (fact: V, message: Received<V>) => LogEntry | undefined): Promise<void> {
    const entries = (fact: V, message: Received<V>): LogEntry[] => {
      const entry = entryOf(fact, message);
      return entry ? [entry] : [];
    };
    return storeBatch(batch, entries, (rows) => this.entries.append(rows));
  }
}
