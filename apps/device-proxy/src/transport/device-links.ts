import { Injectable } from '@nestjs/common';
import type { DeviceAnswer, DeviceLink, DeviceRequest, NewestReport, ObservedAnswer } from './device-link.js';
import { NoTransport } from './no-transport.js';
import { type Scheme, schemeOf } from './peer-address.js';

/** All transports of this replica as one: the address says which. */
@Injectable()
export class DeviceLinks implements DeviceLink {
  private readonly none = new NoTransport();

  private readonly links = new Map<Scheme, DeviceLink>();

  /** `link`: reaches the devices at addresses of the scheme. */
  add(scheme: Scheme, link: DeviceLink): void {
    this.links.set(scheme, link);
  }

  request(address: string, request: DeviceRequest, signal: AbortSignal): Promise<DeviceAnswer> {
    return this.linkOf(address).request(address, request, signal);
  }

  observe(address: string, request: DeviceRequest, signal: AbortSignal): Promise<ObservedAnswer> {
    return this.linkOf(address).observe(address, request, signal);
  }

  adopt(address: string, token: string, request: DeviceRequest, newest?: NewestReport): void {
    this.linkOf(address).adopt(address, token, request, newest);
  }

  newest(address: string): ReadonlyMap<string, NewestReport> {
    return this.linkOf(address).newest(address);
  }

  cancel(address: string, request: DeviceRequest, token: string, signal: AbortSignal): Promise<void> {
    return this.linkOf(address).cancel(address, request, token, signal);
  }

  forget(address: string, token: string): void {
    this.linkOf(address).forget(address, token);
  }

  hold(address: string): void {
    this.linkOf(address).hold(address);
  }

  release(address: string): void {
    this.linkOf(address).release(address);
  }

  private linkOf(address: string): DeviceLink {
    return this.links.get(schemeOf(address)) ?? this.none;
  }
}
