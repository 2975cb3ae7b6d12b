import { DataSource } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { locksMax, withDevices } from '../db/device-lock.js';
import { RequestBatcher } from '../db/request-batcher.js';
import { paceMs } from '../db/pace.js';
import type { Subscription } from './subscription.entity.js';
import { type NewSubscription, type SubscriptionKey, SubscriptionStore } from './subscription-store.js';

/** A change of the subscriptions of one device. */
export interface Change {
  deviceId: string;
  /** The paths that rules require, and the paths that they no longer require. */
  asked?: readonly NewSubscription[];
  lost?: readonly SubscriptionKey[];
  /** A path that the device reports now. */
  confirmed?: string;
}

const none: readonly Subscription[] = [];

/** A change with more rows has a separate transaction: other changes would wait for it, and fail with it. */
const sharedRowsMax = 100;

const isLarge = ({ asked = [], lost = [] }: Change): boolean => asked.length + lost.length > sharedRowsMax;

/**
 * Reads and writes the subscriptions of many devices in one batch, because a fleet that reconnects does so all at once. The rules of
 * one account may match thousands of paths of each of its devices.
 */
@Injectable()
export class SubscriptionBatcher {
  private readonly reads: RequestBatcher<string, readonly Subscription[]>;
  private readonly writes: RequestBatcher<Change, void>;
  private readonly largeWrites: RequestBatcher<Change, void>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SubscriptionStore,
  ) {
    this.reads = new RequestBatcher((devices) => this.readAll(devices), { paceMs });
    this.writes = new RequestBatcher((changes) => this.writeAll(changes), { batchMax: locksMax, paceMs });
    this.largeWrites = new RequestBatcher((changes) => this.writeAll(changes), { batchMax: 1 });
  }

  read(deviceId: string): Promise<readonly Subscription[]> {
    return this.reads.submit(deviceId);
  }

  /** When this resolves, the change is stored and announced. */
  write(change: Change): Promise<void> {
    return (isLarge(change) ? this.largeWrites : this.writes).submit(change);
  }

  private async readAll(devices: readonly string[]): Promise<(readonly Subscription[])[]> {
    const rows = await this.store.listOfDevices(this.dataSource.manager, devices);
    return devices.map((deviceId) => rows.get(deviceId) ?? none);
  }

  private async writeAll(changes: readonly Change[]): Promise<void[]> {
    const { store } = this;
    const devices = changes.map(({ deviceId }) => deviceId);
    const lost = changes.flatMap((change) => change.lost ?? []);
    const asked = changes.flatMap((change) => change.asked ?? []);
    const confirmed = changes.flatMap(({ deviceId, confirmed: path }) =>
      path === undefined ? [] : [{ deviceId, path }],
    );
    await withDevices(this.dataSource, devices, async (manager) => {
      await store.loseByRules(manager, lost);
      await store.askByRules(manager, asked);
      await store.confirmAll(manager, confirmed);
    });
    return changes.map(() => undefined);
  }
}
