import { Code } from '@lanyard/coap';
import { registrationLinks } from '../objects/links.js';
import { type ObjectStore } from '../objects/object-store.js';
import { type Scheme } from '../settings/server-url.js';
import { type DeviceTransport } from '../transport/device-transport.js';
import { accepted, deregisterRequest, registerRequest, updateRequest } from './registration.js';
import { type Group } from './simulation-context.js';

/** Changes that an update reports, besides the fact that the device is alive. */
interface Changes {
  lifetimeSeconds?: number;
  /** The objects of the device have changed. */
  objectsChanged?: boolean;
}

/** The device whose registration it is. */
export interface Registering {
  readonly name: string;
  readonly lifetimeSeconds: number;
  readonly scheme: Scheme;
  readonly group: Group;
  readonly store: ObjectStore;
  readonly transport: DeviceTransport;
}

/** The registration of a device at its server. */
export class Registrar {
  private id: string | undefined;
  /** What the next update reports. */
  private changes: Changes = {};

  constructor(private readonly device: Registering) {}

  get isRegistered(): boolean {
    return this.id !== undefined;
  }

  /** Whether there are changes that no update has reported yet. */
  get hasChanges(): boolean {
    return Object.keys(this.changes).length > 0;
  }

  /** Adds changes to those that the next update reports. */
  addChanges(changes: Changes): void {
    this.changes = { ...this.changes, ...changes };
  }

  /** Rejects with Refused, or the errors of the transport. */
  async register(): Promise<void> {
    const { group, store, transport } = this.device;
    this.changes = {};
    const request = registerRequest(this.device, group.settings, registrationLinks(store));
    const sentAt = performance.now();
    const { locationPath } = accepted('register', await transport.request(request), Code.Created);
    group.tally.recordLatency('registration', performance.now() - sentAt);
    this.id = locationPath?.at(-1);
    group.tally.changeRegistered(1);
    group.tally.count('registered');
  }

  /**
   * False if there is no registration, or the server answers with a 4.xx code, for example because it does not know the
   * registration any more. Rejects as `register` does.
   */
  async update(): Promise<boolean> {
    const { group, store, transport } = this.device;
    if (this.id === undefined) return false;
    const { changes } = this;
    const sentAt = performance.now();
    const links = changes.objectsChanged ? registrationLinks(store) : undefined;
    const { lifetimeSeconds } = changes;
    const request = updateRequest(this.id, group.settings, { lifetimeSeconds, links });
    const response = await transport.request(request);
    if (response.code >> 5 === 4) return false;
    accepted('update', response, Code.Changed);
    if (this.changes === changes) this.changes = {};
    group.tally.recordLatency('update', performance.now() - sentAt);
    group.tally.count('updated');
    return true;
  }

  async deregister(): Promise<void> {
    const { group, transport } = this.device;
    const { id } = this;
    if (id === undefined) return;
    this.forget();
    accepted('deregister', await transport.request(deregisterRequest(id)), Code.Deleted);
    group.tally.count('deregistered');
  }

  /** Forgets the registration without telling the server. */
  forget(): void {
    if (this.id !== undefined) this.device.group.tally.changeRegistered(-1);
    this.id = undefined;
  }
}
