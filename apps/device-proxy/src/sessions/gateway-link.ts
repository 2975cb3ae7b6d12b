import { addPrefix, addRoot, Malformed, namesPaths, removePrefix } from '@lanyard/lwm2m';
import { Injectable } from '@nestjs/common';
import {
  type DeviceAnswer,
  type DeviceLink,
  type DeviceRequest,
  type NewestReport,
  NotSent,
  type ObservedAnswer,
  UnusableAnswer,
} from '../transport/device-link.js';
import { DeviceLinks } from '../transport/device-links.js';
import { viaOf } from '../transport/peer-address.js';
import { withoutRoot } from './alternate-root.js';
import type { Session } from './session.js';
import { Sessions } from './sessions.js';

/** Where the requests to a device behind a gateway go. */
interface Route {
  link: DeviceLink;
  /** The current address of the gateway. */
  address: string;
  /** The root path of the gateway. */
  root: string;
  prefix: string;
}

/** Removes the prefix, in formats that name their paths. Throws Malformed, also if a path names another device. */
export const withoutPrefix = <T extends { payload: Buffer; contentFormat?: number | undefined }>(
  message: T,
  prefix: string,
): T => {
  const { contentFormat, payload } = message;
  if (contentFormat === undefined || payload.length === 0 || !namesPaths(contentFormat)) return message;
  return { ...message, payload: removePrefix(contentFormat, payload, prefix) };
};

/** Throws Malformed. */
const prefixed = ({ root, prefix }: Route, request: DeviceRequest): DeviceRequest => {
  const { path, payload, contentFormat } = request;
  // The paths of a composite operation are in its payload only (LwM2M Gateway 1.1.1 §8.3).
  const whole = path === '/' ? root || '/' : `${root}/${prefix}${path}`;
  if (!payload || payload.length === 0 || contentFormat === undefined || !namesPaths(contentFormat))
    return { ...request, path: whole };
  return { ...request, path: whole, payload: addRoot(contentFormat, addPrefix(contentFormat, payload, prefix), root) };
};

const stripped = ({ root, prefix }: Route, answer: DeviceAnswer): DeviceAnswer => {
  const start = `${root}/${prefix}`.split('/').filter(Boolean);
  const { location } = answer;
  const isBelow = location !== undefined && start.every((segment, n) => location[n] === segment);
  try {
    const own: DeviceAnswer = isBelow ? { ...answer, location: location.slice(start.length) } : answer;
    return withoutPrefix(withoutRoot(own, root), prefix);
  } catch (error) {
    if (error instanceof Malformed) throw new UnusableAnswer(error.message, { cause: error });
    throw error;
  }
};

/**
 * Reaches the devices behind gateways: over the connection of the gateway, with their prefix in all paths (LwM2M Gateway
 * 1.1.1 §8.3). Requests to the gateway and to the devices behind it are in one queue, one outstanding at a time.
 */
@Injectable()
export class GatewayLink implements DeviceLink {
  constructor(
    private readonly sessions: Sessions,
    private readonly links: DeviceLinks,
  ) {
    links.add('via', this);
  }

  async request(address: string, request: DeviceRequest, signal: AbortSignal): Promise<DeviceAnswer> {
    const route = this.routeOf(address);
    const sent = this.sendable(route, request);
    if ('code' in sent) return sent;
    return stripped(route, await route.link.request(route.address, sent, signal));
  }

  async observe(address: string, request: DeviceRequest, signal: AbortSignal): Promise<ObservedAnswer> {
    const route = this.routeOf(address);
    const sent = this.sendable(route, request);
    if ('code' in sent) return { answer: sent };
    const observed = await route.link.observe(route.address, sent, signal);
    return { ...observed, answer: stripped(route, observed.answer) };
  }

  adopt(address: string, token: string, request: DeviceRequest, newest?: NewestReport): void {
    const route = this.find(address);
    route?.link.adopt(route.address, token, prefixed(route, request), newest);
  }

  newest(address: string, token: string): NewestReport | undefined {
    const route = this.find(address);
    return route?.link.newest(route.address, token);
  }

  async cancel(address: string, request: DeviceRequest, token: string, signal: AbortSignal): Promise<void> {
    const route = this.routeOf(address);
    await route.link.cancel(route.address, prefixed(route, request), token, signal);
  }

  forget(address: string, token: string): void {
    const route = this.find(address);
    route?.link.forget(route.address, token);
  }

  // The connection is the gateway's: it stays, whatever becomes of a device behind it.
  hold(): void {}
  release(): void {}
  disconnect(): void {}

  /** A request whose payload cannot be given the prefix is refused as the device would, before anything is sent. */
  private sendable(route: Route, request: DeviceRequest): DeviceRequest | DeviceAnswer {
    try {
      return prefixed(route, request);
    } catch (error) {
      if (error instanceof Malformed) return { code: '4.00', payload: Buffer.from(error.message) };
      throw error;
    }
  }

  private routeOf(address: string): Route {
    const route = this.find(address);
    if (!route) throw new NotSent('the gateway of the device has no session here');
    return route;
  }

  private find(address: string): Route | undefined {
    const via = viaOf(address);
    const gateway: Session | undefined = via && this.sessions.get(via.gatewayId);
    if (!via || !gateway) return undefined;
    const { address: at, data } = gateway;
    return { link: this.links.to(at), address: at, root: data.rootPath, prefix: via.prefix };
  }
}
