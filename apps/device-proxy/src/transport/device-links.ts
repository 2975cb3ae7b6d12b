import { Injectable } from '@nestjs/common';
import type { DeviceLink } from './device-link.js';
import { NoTransport } from './no-transport.js';
import { type Scheme, schemeOf } from './peer-address.js';

/** All transports of this replica, selected by the scheme of the address. */
@Injectable()
export class DeviceLinks {
  private readonly none = new NoTransport();
  private readonly links = new Map<Scheme, DeviceLink>();

  /** `link`: reaches the devices at addresses of the scheme. */
  add(scheme: Scheme, link: DeviceLink): void {
    this.links.set(scheme, link);
  }

  to(address: string): DeviceLink {
    return this.links.get(schemeOf(address)) ?? this.none;
  }
}
