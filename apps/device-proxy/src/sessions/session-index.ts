import { KeyedSets } from '@lanyard/service';
import type { Session } from './session.js';

/** Finds the sessions of this replica by properties of messages. An address is unique within an account. */
export class SessionIndex {
  private readonly byDevice = new Map<string, Session>();
  private readonly byRegistration = new Map<string, Session>();
  private readonly byAddress = new Map<string, Map<string, Session>>();
  /** Sessions of devices behind gateways, by the device id of the gateway. */
  private readonly byGateway = new KeyedSets<string, Session>();

  get size(): number {
    return this.byDevice.size;
  }

  all(): IterableIterator<Session> {
    return this.byDevice.values();
  }

  ofDevice(deviceId: string): Session | undefined {
    return this.byDevice.get(deviceId);
  }

  ofRegistration(registrationId: string): Session | undefined {
    return this.byRegistration.get(registrationId);
  }

  atAddress(accountId: string, address: string): Session | undefined {
    return this.byAddress.get(accountId)?.get(address);
  }

  behind(gatewayId: string): ReadonlySet<Session> {
    return this.byGateway.get(gatewayId);
  }

  add(session: Session): void {
    if (session.gateway) this.byGateway.add(session.gateway.deviceId, session);
    this.byDevice.set(session.deviceId, session);
    this.byRegistration.set(session.registrationId, session);
    if (session.isElsewhere) return;
    const ofAccount = this.byAddress.get(session.accountId);
    if (ofAccount) ofAccount.set(session.address, session);
    else this.byAddress.set(session.accountId, new Map([[session.address, session]]));
  }

  /** Entries that already point to another session are kept. */
  remove(session: Session): void {
    if (session.gateway) this.byGateway.delete(session.gateway.deviceId, session);
    if (this.byDevice.get(session.deviceId) === session) this.byDevice.delete(session.deviceId);
    if (this.byRegistration.get(session.registrationId) === session) this.byRegistration.delete(session.registrationId);
    const ofAccount = this.byAddress.get(session.accountId);
    if (ofAccount?.get(session.address) === session) ofAccount.delete(session.address);
    if (ofAccount?.size === 0) this.byAddress.delete(session.accountId);
  }
}
