import type { AccessAccountChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { type Clock, newId } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { Sender } from '../transport/sender.js';
import type { DeviceDirectory, DirectoryEntry } from './device-directory.js';
import { FirstContact } from './first-contact.entity.js';

export interface Admitted {
  deviceId: string;
  /** Of the directory; what the device says of itself counts only when there is none. */
  endpointType?: string;
  firstContact: boolean;
}

/** Called when somebody asked for a name that is not the one of his credential. */
export type Refused = (sender: Sender, endpointName: string) => void;

/** Decides who may register. */
export class Admission {
  private refused: Refused = () => undefined;

  constructor(
    private readonly directory: DeviceDirectory,
    private readonly accounts: StateReader<AccessAccountChanged>,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onRefused(refused: Refused): void {
    this.refused = refused;
  }

  /**
   * undefined: the endpoint is suspended, unknown in an account that takes no unknown endpoints, or not the one that
   * the sender proved to be.
   */
  async admit(sender: Sender, endpointName: string): Promise<Admitted | undefined> {
    const { accountId } = sender;
    const account = this.accounts.get(accountId);
    if (account?.status === 'suspended') return undefined;
    const entry = await this.entryOf(sender, endpointName);
    if (!this.isProved(sender, endpointName, entry)) {
      this.refused(sender, endpointName);
      return undefined;
    }
    if (entry?.lifecycleStatus === 'blocked') return undefined;
    if (entry) return { deviceId: entry.deviceId, endpointType: entry.endpointType, firstContact: false };
    if (!account?.autoCreateDevices && !sender.enrols) return undefined;
    return { deviceId: await this.mint(accountId, endpointName), firstContact: true };
  }

  /** A credential may be known here before the device that it was made for. */
  private async entryOf({ accountId, deviceId }: Sender, endpointName: string): Promise<DirectoryEntry | undefined> {
    if (deviceId !== undefined) await this.directory.wait(deviceId);
    return this.directory.named(accountId, endpointName);
  }

  private isProved(sender: Sender, endpointName: string, entry: DirectoryEntry | undefined): boolean {
    if (sender.deviceId !== undefined) return entry?.deviceId === sender.deviceId;
    return sender.endpointName === undefined || sender.endpointName === endpointName;
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
