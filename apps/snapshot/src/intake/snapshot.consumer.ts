import {
  type ChannelEventsDropped,
  ChannelsDrops,
  type DeviceCommandAccepted,
  type DeviceCommandFinished,
  DeviceCommandResults,
  DeviceCommands,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  DeviceSessions,
  DeviceValues,
  type ResourceValueArrived,
  type SubscriptionChanged,
  SubscriptionsState,
} from '@lanyard/contracts';
import { type Batch, OnBatch, storeBatch, storedTogether, storeFacts } from '@lanyard/kafka';
import { AccountModels, isPath } from '@lanyard/lwm2m';
import { Controller } from '@nestjs/common';
import { DeviceWriter } from '../devices/device-writer.js';
import { HistoryWriter } from '../history/history-writer.js';
import { Listing } from '../resources/listing.js';
import { ResourceWriter } from '../resources/resource-writer.js';
import { isSingleResource } from '../resources/expand.js';
import { countOfDrops, countOfResult, countOfSession, countOfValue } from '../statistics/counts.js';
import { StatisticsWriter } from '../statistics/statistics-writer.js';
import { finishedValues, isWrite, pendingValues, reportedValues } from './facts.js';

/**
 * The ids of devices whose object versions are needed, because a whole object or instance is split into resources. A path that is
 * none, which `isSingleResource` throws for, is refused with its message only.
 */
const devicesOfSplitWrites = ({
  messages,
}: Pick<Batch<DeviceCommandAccepted | DeviceCommandFinished>, 'messages'>): string[] =>
  messages
    .filter(({ value }) => isWrite(value) && !(isPath(value.path) && isSingleResource(value.path)))
    .map(({ value }) => value.deviceId);

/** Turns facts into rows. Every write may be repeated. */
@Controller()
export class SnapshotConsumer {
  private readonly listing = new Listing();

  constructor(
    private readonly resources: ResourceWriter,
    private readonly devices: DeviceWriter,
    private readonly history: HistoryWriter,
    private readonly statistics: StatisticsWriter,
    private readonly models: AccountModels,
  ) {}

  @OnBatch(DeviceValues, storedTogether)
  async onValues(batch: Batch<ResourceValueArrived>): Promise<void> {
    // The device is written first: this waits for a running purge, and a later purge skips the device.
    await storeFacts(batch, (facts) => this.devices.applyValues(facts));
    await storeBatch(
      batch,
      (fact) => reportedValues(fact, this.models),
      async (values) => {
        await this.resources.storeReported(values);
        await this.history.append(values);
      },
    );
    await this.statistics.count(batch, countOfValue);
  }

  @OnBatch(DeviceCommands, storedTogether)
  async onCommands(batch: Batch<DeviceCommandAccepted>): Promise<void> {
    const versions = await this.devices.versionsOf(devicesOfSplitWrites(batch));
    await storeBatch(
      batch,
      (fact) => pendingValues(fact, this.models, versions.get(fact.deviceId)),
      (values) => this.resources.storeDesired(values),
    );
  }

  @OnBatch(DeviceCommandResults, storedTogether)
  async onResults(batch: Batch<DeviceCommandFinished>): Promise<void> {
    const versions = await this.devices.versionsOf(devicesOfSplitWrites(batch));
    await storeBatch(
      batch,
      (fact) => finishedValues(fact, this.models, versions.get(fact.deviceId)),
      (values) => this.resources.storeDesired(values),
    );
    await this.statistics.count(batch, countOfResult);
  }

  @OnBatch(DeviceSessions, storedTogether)
  async onSessions(batch: Batch<DeviceSessionChanged>): Promise<void> {
    await storeFacts(batch, async (facts) => {
      await this.devices.applySessions(facts);
      await this.resources.storeListed(this.listing.unstoredResources(facts));
      this.listing.recordStored(facts);
    });
    await this.statistics.count(batch, countOfSession);
  }

  @OnBatch(DeviceLifecycle, storedTogether)
  async onLifecycle(batch: Batch<DeviceLifecycleChanged>): Promise<void> {
    await storeFacts(batch, (facts) => this.devices.applyLifecycle(facts));
  }

  @OnBatch(ChannelsDrops, storedTogether)
  async onDrops(batch: Batch<ChannelEventsDropped>): Promise<void> {
    await this.statistics.count(batch, countOfDrops);
  }

  @OnBatch(SubscriptionsState)
  async onSubscriptions(batch: Batch<SubscriptionChanged>): Promise<void> {
    await storeFacts(batch, (facts) => this.devices.applySubscriptions(facts));
  }
}
