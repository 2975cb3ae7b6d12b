import type { AccessAccountChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import type { Logger } from '@lanyard/service';
import type { Sender } from '../transport/sender.js';
import type { DeviceDirectory, DirectoryEntry } from './device-directory.js';
import type { FirstContacts } from './first-contacts.js';

export interface Admitted {
  deviceId: string;
  /** Of the directory; it counts when the device says none of itself. */
  endpointType?: string;
  firstContact: boolean;
}

/** Nothing has been told of the account: it was made a moment ago, or there is none. Who asks may ask again. */
class AccountNotKnown extends Error {
  constructor(accountId: string) {
    super(`account ${accountId} is not known here: devices that are new in it have to wait`);
    this.name = 'AccountNotKnown';
  }
}

/** Called when somebody asked for a name that is not the one of his credential. */
export type Refused = (sender: Sender, endpointName: string) => void;

/** Decides who may register. */
export class Admission {
  private refused: Refused = () => undefined;

  constructor(
    private readonly directory: DeviceDirectory,
    private readonly accounts: StateReader<AccessAccountChanged>,
    private readonly contacts: FirstContacts,
    private readonly logger: Logger,
  ) {}

  onRefused(refused: Refused): void {
    this.refused = refused;
  }

  /**
   * undefined: the endpoint is suspended, unknown in an account that takes no unknown endpoints or has as many devices
   * as it may, or not the one that the sender proved to be. Throws AccountNotKnown.
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
    if (!account) throw new AccountNotKnown(accountId);
    if (!account.autoCreateDevices && !sender.enrols) return undefined;
    return this.meet(accountId, endpointName, account.devicesMax);
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

  /** The directory has decided on an id that was given here. */
  async forget(deviceId: string): Promise<void> {
    await this.contacts.forget(deviceId);
  }

  private async meet(accountId: string, endpointName: string, devicesMax?: number): Promise<Admitted | undefined> {
    const known = {
      count: this.directory.countOf(accountId),
      has: (deviceId: string) => this.directory.get(deviceId) !== undefined,
    };
    const stranger = { accountId, endpointName, known, ...(devicesMax !== undefined && { devicesMax }) };
    const deviceId = await this.contacts.meet(stranger);
    if (deviceId !== undefined) return { deviceId, firstContact: true };
    this.logger.warn(
      { accountId, endpointName, devicesMax },
      'unknown endpoint refused: the account has no room for it',
    );
    return undefined;
  }
}
