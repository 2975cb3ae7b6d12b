import type { DeviceLifecycleChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';

export type DirectoryEntry = DeviceLifecycleChanged;

/** How long the copy may lag behind what a client knows. */
const patienceMs = 500;

/** Called once for each device that stops being admitted: suspended, or deleted. */
export type Expelled = (deviceId: string, why: 'suspended' | 'deleted') => void;

const nameKey = (accountId: string, endpointName: string): string => `${accountId}|${endpointName}`;

const isDeleted = (entry: DirectoryEntry | undefined): boolean => !entry || entry.change === 'deleted';

/** This service's own copy of the device directory, by id and by the name a device gives itself. */
export class DeviceDirectory {
  private readonly byName = new Map<string, string>();
  private readonly expelled: Expelled[] = [];

  constructor(private readonly reader: StateReader<DirectoryEntry>) {
    reader.onChange((deviceId, entry, previous) => this.changed(deviceId, entry, previous));
  }

  onExpelled(listener: Expelled): void {
    this.expelled.push(listener);
  }

  /** undefined for a device that is not there or was deleted. */
  get(deviceId: string): DirectoryEntry | undefined {
    const entry = this.reader.get(deviceId);
    return isDeleted(entry) ? undefined : entry;
  }

  /** A client may have heard of a device before this copy has. */
  wait(deviceId: string): Promise<DirectoryEntry | undefined> {
    return this.reader.waitFor(deviceId, patienceMs, (entry) => !isDeleted(entry));
  }

  named(accountId: string, endpointName: string): DirectoryEntry | undefined {
    const deviceId = this.byName.get(nameKey(accountId, endpointName));
    return deviceId === undefined ? undefined : this.get(deviceId);
  }

  isBlocked(deviceId: string): boolean {
    return this.get(deviceId)?.lifecycleStatus === 'blocked';
  }

  /** Why the device may not be connected now; undefined also for one that the directory never knew. */
  whyExpelled(deviceId: string): 'suspended' | 'deleted' | undefined {
    const entry = this.reader.get(deviceId);
    if (entry?.change === 'deleted') return 'deleted';
    return entry?.lifecycleStatus === 'blocked' ? 'suspended' : undefined;
  }

  private changed(deviceId: string, entry: DirectoryEntry | undefined, previous: DirectoryEntry | undefined): void {
    if (previous) this.unname(deviceId, previous);
    if (entry && !isDeleted(entry) && entry.endpointName !== '')
      this.byName.set(nameKey(entry.accountId, entry.endpointName), deviceId);
    if (isDeleted(entry)) for (const listener of this.expelled) listener(deviceId, 'deleted');
    else if (entry?.lifecycleStatus === 'blocked' && previous?.lifecycleStatus !== 'blocked')
      for (const listener of this.expelled) listener(deviceId, 'suspended');
  }

  private unname(deviceId: string, { accountId, endpointName }: DirectoryEntry): void {
    const key = nameKey(accountId, endpointName);
    if (this.byName.get(key) === deviceId) this.byName.delete(key);
  }
}
