import type { AccessAccountChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { type Clock, newId } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { DeviceDirectory } from './device-directory.js';
import { FirstContact } from './first-contact.entity.js';

export interface Admitted {
  deviceId: string;
  /** Of the directory; what the device says of itself counts only when there is none. */
  endpointType?: string;
  firstContact: boolean;
}

/** Decides who may register. */
export class Admission {
  constructor(
    private readonly directory: DeviceDirectory,
    private readonly accounts: StateReader<AccessAccountChanged>,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** undefined: the endpoint is suspended, or unknown in an account that takes no unknown endpoints. */
  async admit(accountId: string, endpointName: string): Promise<Admitted | undefined> {
    const account = this.accounts.get(accountId);
    if (account?.status === 'suspended') return undefined;
    const entry = this.directory.named(accountId, endpointName);
    if (entry?.lifecycleStatus === 'blocked') return undefined;
    if (entry) return { deviceId: entry.deviceId, endpointType: entry.endpointType, firstContact: false };
    if (!account?.autoCreateDevices) return undefined;
    return { deviceId: await this.mint(accountId, endpointName), firstContact: true };
  }

  /** The directory has decided on a minted id: it made the device, or gave the name to another id. */
  async forget(deviceId: string): Promise<void> {
    await this.dataSource.manager.delete(FirstContact, { deviceId });
  }

  /** The same id for as long as the directory does not know the endpoint, whichever replica it comes to. */
  private async mint(accountId: string, endpointName: string): Promise<string> {
    const row = { accountId, endpointName, deviceId: newId(this.clock.now()), createdAt: new Date(this.clock.now()) };
    const { manager } = this.dataSource;
    await manager.createQueryBuilder().insert().into(FirstContact).values(row).orIgnore().execute();
    return (await manager.findOneByOrFail(FirstContact, { accountId, endpointName })).deviceId;
  }
}
