import {
  type BootstrapFailure,
  type BootstrapProfileChanged,
  BootstrapProfiles,
  type DeviceBootstrapChanged,
  DeviceBootstraps,
} from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { BootstrappingDevice } from './bootstrapping-device.js';
import type { RunningProxy } from './running-proxy.js';
import { SecureTestSystem } from './secure-test-system.js';
import type { Read } from './test-system.js';

/** A replica with listeners for UDP, TCP and TLS, devices that bootstrap, and what the registry does with their bootstraps. */
export class BootstrapTestSystem {
  readonly facts: Read<DeviceBootstrapChanged>[] = [];
  private readonly devices: BootstrappingDevice[] = [];
  /** Key of each pre-shared key that was created, in hex. */
  readonly keys = new Map<string, string>();
  /** Of raw public keys, by bootstrap. */
  private readonly fingerprints = new Map<string, string>();
  registryRuns = true;

  private constructor(readonly secured: SecureTestSystem) {}

  static async create(name: string): Promise<BootstrapTestSystem> {
    const created = new BootstrapTestSystem(await SecureTestSystem.create(name));
    await created.secured.system.follow(DeviceBootstraps, created.facts, (fact) => created.handle(fact));
    return created;
  }

  get proxy(): RunningProxy {
    return this.secured.proxy;
  }

  get accountId(): string {
    return this.secured.system.accountId;
  }

  device(name: string): BootstrappingDevice {
    const device = new BootstrappingDevice(name);
    this.devices.push(device);
    return device;
  }

  /** A device of the directory, which the replica knows. */
  async directory(name: string): Promise<string> {
    const { system } = this.secured;
    const deviceId = newId();
    await system.lifecycle(deviceId, name, 'created');
    await system.knows(this.proxy, name);
    return deviceId;
  }

  /** A device with a profile of its own, over UDP. */
  async fresh(
    name: string,
    profile: Partial<BootstrapProfileChanged> = {},
  ): Promise<{ deviceId: string; device: BootstrappingDevice }> {
    const deviceId = await this.directory(name);
    await this.profile({ deviceId, ...profile });
    return { deviceId, device: await this.device(name).overUdp(this.proxy.coapPort) };
  }

  async profile(changes: Partial<BootstrapProfileChanged>): Promise<BootstrapProfileChanged> {
    const profile: BootstrapProfileChanged = {
      profileId: newId(),
      accountId: this.accountId,
      serverUri: 'coaps+tcp://lwm2m.example:5684',
      shortServerId: 123,
      securityMode: 'psk',
      lifetimeSeconds: 300,
      binding: 'T',
      notificationStoring: true,
      deletePaths: ['/0', '/1'],
      changedAt: new Date().toISOString(),
      ...changes,
    };
    await this.secured.system.announce(BootstrapProfiles, profile);
    return profile;
  }

  withdraw({ profileId }: BootstrapProfileChanged): Promise<void> {
    return this.secured.system.end(BootstrapProfiles, profileId);
  }

  /** The facts of one bootstrap, in order: on a busy machine a device may have to ask more than once. */
  ofBootstrap(id: string): DeviceBootstrapChanged[] {
    return this.facts.flatMap(({ value }) => (value.bootstrapId === id ? [value] : []));
  }

  /** The facts of one device, in order. */
  of(deviceId: string): DeviceBootstrapChanged[] {
    return this.facts.flatMap(({ value }) => (value.deviceId === deviceId ? [value] : []));
  }

  fact(deviceId: string, change: DeviceBootstrapChanged['change']): Promise<DeviceBootstrapChanged> {
    return this.secured.system
      .fact(this.facts, (fact) => fact.deviceId === deviceId && fact.change === change)
      .then(({ value }) => value);
  }

  /**
   * The failure of this kind. Another one may be before it: on a busy machine the credential may come too late, and the
   * bootstrap fails before the device asks again.
   */
  async failed(deviceId: string, failure: BootstrapFailure): Promise<DeviceBootstrapChanged> {
    const { system } = this.secured;
    return (await system.fact(this.facts, (fact) => fact.deviceId === deviceId && fact.failure === failure)).value;
  }

  async closeDevices(): Promise<void> {
    await Promise.all(this.devices.splice(0).map((device) => device.close()));
  }

  async close(): Promise<void> {
    await this.closeDevices();
    await this.secured.close();
  }

  private async handle(fact: DeviceBootstrapChanged): Promise<void> {
    const { bootstrapId, deviceId, change, credential, fingerprint } = fact;
    const { system } = this.secured;
    if (!this.registryRuns) return;
    if (change === 'failed') return system.withdraw(bootstrapId);
    if (credential === 'psk' && !this.keys.has(bootstrapId)) this.keys.set(bootstrapId, newId());
    if (fingerprint !== undefined) this.fingerprints.set(bootstrapId, fingerprint);
    const stored = this.stored(bootstrapId);
    if (!stored) return;
    const provisional = change === 'started' && { provisional: true as const };
    await system.credential({ credentialId: bootstrapId, deviceId, ...stored, ...provisional });
  }

  private stored(bootstrapId: string) {
    const key = this.keys.get(bootstrapId);
    if (key !== undefined) return { kind: 'psk', identity: bootstrapId, key } as const;
    const fingerprint = this.fingerprints.get(bootstrapId);
    return fingerprint === undefined ? undefined : ({ kind: 'raw_public_key', fingerprint } as const);
  }
}
