import {
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
import { type Batch, OnBatch } from '@lanyard/kafka';
import { AccountModels } from '@lanyard/lwm2m';
import { Controller, Inject } from '@nestjs/common';
import { DeviceWriter } from '../devices/device-writer.js';
import { ResourceWriter } from '../resources/resource-writer.js';
import { finishedValues, pendingValues, reportedValues } from './facts.js';

const values = <V>(batch: Batch<V>): V[] => batch.messages.map((m) => m.value);

/** Facts in, rows out. Every write may be repeated. */
@Controller()
export class SnapshotConsumer {
  constructor(
    @Inject(ResourceWriter) private readonly resources: ResourceWriter,
    @Inject(DeviceWriter) private readonly devices: DeviceWriter,
    @Inject(AccountModels) private readonly models: AccountModels,
  ) {}

  @OnBatch(DeviceValues)
  async onValues(batch: Batch<ResourceValueArrived>): Promise<void> {
    const facts = values(batch);
    await this.resources.report(facts.flatMap((fact) => reportedValues(fact, this.models)));
    await this.devices.values(facts);
  }

  @OnBatch(DeviceCommands)
  async onCommands(batch: Batch<DeviceCommandAccepted>): Promise<void> {
    await this.resources.desire(values(batch).flatMap((fact) => pendingValues(fact, this.models)));
  }

  @OnBatch(DeviceCommandResults)
  async onResults(batch: Batch<DeviceCommandFinished>): Promise<void> {
    await this.resources.desire(values(batch).flatMap((fact) => finishedValues(fact, this.models)));
  }

  @OnBatch(DeviceSessions)
  async onSessions(batch: Batch<DeviceSessionChanged>): Promise<void> {
    await this.devices.sessions(values(batch));
  }

  @OnBatch(DeviceLifecycle)
  async onLifecycle(batch: Batch<DeviceLifecycleChanged>): Promise<void> {
    await this.devices.lifecycle(values(batch));
  }

  @OnBatch(SubscriptionsState)
  async onSubscriptions(batch: Batch<SubscriptionChanged>): Promise<void> {
    await this.devices.subscriptions(values(batch));
  }
}
