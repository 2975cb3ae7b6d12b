import type { DeviceContacted } from '@lanyard/contracts';
import { type Clock, CLOCK, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { CredentialIndex } from '../credentials/credential-index.js';
import { Refusals } from '../credentials/refusals.js';
import { Throttle } from '../events/throttle.js';
import { AccessAccountsReader } from '../state/access-accounts.reader.js';
import { DeviceDirectory } from '../state/device-directory.js';
import type { DirectoryEntry } from '../state/device-lifecycle.reader.js';
import { RetryLater } from '../transport/retry-later.js';
import type { Sender } from '../transport/sender.js';
import { DeviceEnrollment } from './device-enrollment.js';
import { FirstContacts } from './first-contacts.js';

export interface Admitted {
  deviceId: string;
  /** The endpoint type in the directory, used if the device does not send one. */
  endpointType?: string;
  firstContact: boolean;
  /** The gateway that the device came through, according to the directory. */
  hostGateway?: string | undefined;
}

/** Why a device behind a gateway is not served. */
export type NotServed =
  | 'account-suspended'
  | 'name-taken'
  | 'has-credential'
  | 'registered-itself'
  | 'suspended'
  | 'unknown-device'
  | 'quota-reached';

/** An endpoint that the directory does not know, in an account that accepts unknown endpoints. */
type NewEndpoint = Omit<DeviceContacted, 'deviceId' | 'occurredAt'>;

/** At most one line of the log for each account in this time: devices without room try again and again. */
const noRoomPeriodMs = 60_000;

/** Decides which endpoints may register, and as which devices. */
@Injectable()
export class Admission {
  private readonly noRoom: Throttle;

  constructor(
    private readonly directory: DeviceDirectory,
    private readonly accounts: AccessAccountsReader,
    private readonly contacts: FirstContacts,
    private readonly enrollment: DeviceEnrollment,
    private readonly refusals: Refusals,
    private readonly credentials: CredentialIndex,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.noRoom = new Throttle(clock, noRoomPeriodMs);
  }

  /**
   * Returns undefined when the endpoint may not register: it or its account is suspended, or it is not the endpoint of
   * the sender's credential, or it is unknown in an account that accepts no unknown endpoints or has reached its quota
   * of devices. Throws RetryLater while the account, the device of the credential, or the directory's decision on a new
   * endpoint is not known here. `endpointType`: as the device reports it.
   */
  async admit(sender: Sender, endpointName: string, endpointType?: string): Promise<Admitted | undefined> {
    const { accountId } = sender;
    const account = this.accounts.get(accountId);
    if (account?.status === 'suspended') return undefined;
    if (sender.deviceId !== undefined) await this.deviceOf(sender.deviceId);
    const entry = this.directory.named(accountId, endpointName);
    if (!this.isProved(sender, endpointName, entry)) {
      const { deviceId, endpointName: proved } = sender;
      this.refusals.report('wrong-endpoint-name', { accountId, deviceId, endpointName: proved, shown: endpointName });
      return undefined;
    }
    if (entry?.lifecycleStatus === 'blocked') return undefined;
    const { hostGateway } = entry ?? {};
    if (entry) return { deviceId: entry.deviceId, endpointType: entry.endpointType, firstContact: false, hostGateway };
    if (!account) throw new RetryLater(`account ${accountId} is not known here yet`);
    if (!account.autoCreateDevices && !sender.enrols) return undefined;
    return this.admitNew({ accountId, endpointName, endpointType }, account.devicesMax);
  }

  /**
   * A gateway acts for devices of its account that have no credential and whose `host_gateway` in the directory it is, as it is for
   * devices that first came through it. Throws RetryLater as `admit` does.
   */
  async admitBehind(
    gateway: { deviceId: string; accountId: string },
    endpointName: string,
  ): Promise<Admitted | NotServed> {
    const { accountId, deviceId: hostGateway } = gateway;
    const account = this.accounts.get(accountId);
    if (account?.status === 'suspended') return 'account-suspended';
    const known = this.directory.named(accountId, endpointName);
    if (known) return this.admitKnownBehind(hostGateway, known, false);
    if (!account) throw new RetryLater(`account ${accountId} is not known here yet`);
    if (!account.autoCreateDevices) return 'unknown-device';
    const created = await this.createDevice({ accountId, endpointName, hostGateway }, account.devicesMax);
    return created ? this.admitKnownBehind(hostGateway, created.entry, created.firstContact) : 'quota-reached';
  }

  private admitKnownBehind(hostGateway: string, entry: DirectoryEntry, firstContact: boolean): Admitted | NotServed {
    if (entry.hostGateway !== hostGateway || entry.deviceId === hostGateway) return 'name-taken';
    if (this.credentials.has(entry.deviceId)) return 'has-credential';
    if (entry.lifecycleStatus === 'blocked') return 'suspended';
    return { deviceId: entry.deviceId, endpointType: entry.endpointType, firstContact };
  }

  /** The endpoint name that the credential is valid for; undefined when it names none. Throws RetryLater as `admit` does. */
  async nameOf({ deviceId, endpointName }: Sender): Promise<string | undefined> {
    if (deviceId === undefined) return endpointName;
    return (await this.deviceOf(deviceId))?.endpointName || undefined;
  }

  /** Waits, because a credential may be known here before the device that it was made for. undefined: the device was deleted. */
  private async deviceOf(deviceId: string): Promise<DirectoryEntry | undefined> {
    const entry = await this.directory.wait(deviceId);
    if (!entry && this.directory.whyBlocked(deviceId) !== 'deleted')
      throw new RetryLater('the device of the credential is not known here yet');
    return entry;
  }

  private isProved(sender: Sender, endpointName: string, entry: DirectoryEntry | undefined): boolean {
    if (sender.deviceId !== undefined) return entry?.deviceId === sender.deviceId;
    return sender.endpointName === undefined || sender.endpointName === endpointName;
  }

  /** Forgets an id that was assigned here, because the directory has decided on it: it has deleted the device. */
  async forget(deviceId: string): Promise<void> {
    await this.contacts.forget(deviceId);
  }

  private async admitNew(endpoint: NewEndpoint, devicesMax?: number): Promise<Admitted | undefined> {
    const created = await this.createDevice(endpoint, devicesMax);
    if (!created || created.entry.lifecycleStatus === 'blocked') return undefined;
    const { entry, firstContact } = created;
    return { deviceId: entry.deviceId, endpointType: entry.endpointType, firstContact };
  }

  /**
   * Waits until the directory has the device, because no session is announced before that. undefined: the account has
   * reached its quota of devices. Throws RetryLater as `admit` does.
   */
  private async createDevice(
    endpoint: NewEndpoint,
    devicesMax?: number,
  ): Promise<{ entry: DirectoryEntry; firstContact: boolean } | undefined> {
    const deviceId = await this.idOf(endpoint, devicesMax);
    if (deviceId === undefined) {
      if (this.noRoom.isDue(endpoint.accountId))
        this.logger.warn({ ...endpoint, devicesMax }, 'unknown endpoint refused: the account has no room for it');
      return undefined;
    }
    if (this.directory.whyBlocked(deviceId) === 'deleted') throw new RetryLater('the device was deleted a moment ago');
    await this.enrollment.enroll({ deviceId, ...endpoint });
    const entry = this.directory.named(endpoint.accountId, endpoint.endpointName);
    if (!entry) throw new RetryLater('the name belongs to another device, which is not known here yet');
    return { entry, firstContact: entry.deviceId === deviceId };
  }

  private async idOf({ accountId, endpointName }: NewEndpoint, devicesMax?: number): Promise<string | undefined> {
    const known = {
      count: this.directory.countOf(accountId),
      has: (deviceId: string) => this.directory.get(deviceId) !== undefined,
    };
    const endpoint = { accountId, endpointName, known, ...(devicesMax !== undefined && { devicesMax }) };
    const deviceId = await this.contacts.assignId(endpoint);
    const entry = deviceId === undefined ? undefined : this.directory.get(deviceId);
    if (deviceId === undefined || !entry || entry.endpointName === endpointName) return deviceId;
    // The device keeps this id under its new name. The one that has the former name now gets another id.
    await this.contacts.forget(deviceId);
    return this.contacts.assignId(endpoint);
  }
}
