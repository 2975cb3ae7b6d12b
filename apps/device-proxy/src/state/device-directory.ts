import { KeyedCounts } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DeviceLifecycleReader, type DirectoryEntry } from './device-lifecycle.reader.js';

/** How long the copy may lag behind what a client knows, and so how long `wait` waits. */
const lagMaxMs = 500;

/** Called once for each device that is suspended or deleted. */
export type BlockedListener = (deviceId: string, why: 'suspended' | 'deleted') => void;

/** The device or endpoint that a credential identifies. */
interface CredentialOwner {
  accountId: string;
  deviceId?: string;
  endpointName?: string;
}

const isDeleted = (entry: DirectoryEntry | undefined): boolean => !entry || entry.change === 'deleted';

/** This service's own copy of the device directory, by id and by the name a device gives itself. */
@Injectable()
export class DeviceDirectory {
  /**
   * Ids by account and name, in nested maps: a combined key would be another string for each device. The topic keeps
   * order per device only, so a name may have several devices for a while: the new one may be read before the deletion
   * of the former one, and after a restart even before the former one itself.
   */
  private readonly byName = new Map<string, Map<string, string | Set<string>>>();
  /** Devices of each account. */
  private readonly counts = new KeyedCounts();
  private readonly blockedListeners: BlockedListener[] = [];
  private deleted: Set<string> | undefined = new Set();

  constructor(private readonly reader: DeviceLifecycleReader) {
    reader.onChange((deviceId, entry, previous) => this.changed(deviceId, entry, previous));
  }

  /**
   * Calls the listener with the `hostGateway` of a device when the device is no longer suspended, and with the previous
   * and the new one when its `hostGateway` changes: then devices behind these may have to be admitted or refused.
   */
  onAdmissible(listener: (hostGateway: string) => void): void {
    this.reader.onChange((_deviceId, entry, previous) => {
      const [before, now] = [previous?.hostGateway, entry?.hostGateway];
      const isResumed = previous?.lifecycleStatus === 'blocked' && entry?.lifecycleStatus === 'enabled';
      if (isDeleted(entry)) return;
      if (before !== undefined && before !== now) listener(before);
      if (now !== undefined && previous && (before !== now || isResumed)) listener(now);
    });
  }

  onBlocked(listener: BlockedListener): void {
    this.blockedListeners.push(listener);
  }

  /** Devices that the topic shows as deleted, which it does for at least a day. Empty after the first call. */
  takeDeleted(): ReadonlySet<string> {
    const { deleted = new Set<string>() } = this;
    this.deleted = undefined;
    return deleted;
  }

  /** undefined for a device that does not exist or was deleted. */
  get(deviceId: string): DirectoryEntry | undefined {
    const entry = this.reader.get(deviceId);
    return isDeleted(entry) ? undefined : entry;
  }

  /** Waits a moment, because a client may know a device before this copy does. */
  wait(deviceId: string): Promise<DirectoryEntry | undefined> {
    return this.reader.waitFor(deviceId, lagMaxMs, (entry) => !isDeleted(entry));
  }

  /**
   * Whether the directory knows, or learns within that time, that the device exists or is deleted. False at once when
   * the tombstone of the device arrives during the wait.
   */
  async isDecided(deviceId: string, timeoutMs: number): Promise<boolean> {
    return (await this.reader.waitFor(deviceId, timeoutMs)) !== undefined;
  }

  named(accountId: string, endpointName: string): DirectoryEntry | undefined {
    const named = this.byName.get(accountId)?.get(endpointName);
    const deviceId = named instanceof Set ? [...named].at(-1) : named;
    return deviceId === undefined ? undefined : this.get(deviceId);
  }

  /** The device of a credential, or of the endpoint name that its certificate is valid for. */
  ofSender({ accountId, deviceId, endpointName }: CredentialOwner): DirectoryEntry | undefined {
    if (deviceId !== undefined) return this.get(deviceId);
    return endpointName === undefined ? undefined : this.named(accountId, endpointName);
  }

  countOf(accountId: string): number {
    return this.counts.get(accountId);
  }

  /**
   * Why the device may not be connected now; undefined also for a device that the directory never knew. `deleted` is returned only
   * for a moment: the last message of a deleted device is a tombstone, after which the device is forgotten.
   */
  whyBlocked(deviceId: string): 'suspended' | 'deleted' | undefined {
    const entry = this.reader.get(deviceId);
    if (entry?.change === 'deleted') return 'deleted';
    return entry?.lifecycleStatus === 'blocked' ? 'suspended' : undefined;
  }

  private changed(deviceId: string, entry: DirectoryEntry | undefined, previous: DirectoryEntry | undefined): void {
    if (previous) this.removeName(deviceId, previous);
    if (previous && !isDeleted(previous)) this.counts.decrement(previous.accountId);
    if (entry && !isDeleted(entry)) this.counts.increment(entry.accountId);
    if (entry && !isDeleted(entry) && entry.endpointName !== '') this.addName(deviceId, entry);
    if (isDeleted(entry)) this.deleted?.add(deviceId);
    else this.deleted?.delete(deviceId);
    if (isDeleted(entry)) for (const listener of this.blockedListeners) listener(deviceId, 'deleted');
    else if (entry?.lifecycleStatus === 'blocked' && previous?.lifecycleStatus !== 'blocked')
      for (const listener of this.blockedListeners) listener(deviceId, 'suspended');
  }

  private addName(deviceId: string, { accountId, endpointName }: DirectoryEntry): void {
    const names = this.byName.get(accountId) ?? new Map<string, string | Set<string>>();
    this.byName.set(accountId, names);
    const present = names.get(endpointName);
    if (present instanceof Set) present.add(deviceId);
    else names.set(endpointName, present === undefined ? deviceId : new Set([present, deviceId]));
  }

  private removeName(deviceId: string, { accountId, endpointName }: DirectoryEntry): void {
    const names = this.byName.get(accountId);
    const present = names?.get(endpointName);
    if (present instanceof Set) present.delete(deviceId);
    if (present === deviceId || (present instanceof Set && present.size === 0)) names?.delete(endpointName);
  }
}
