import { type Identity, identityHeader, isId, requestIdHeader } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { ConcernsWholeAccount, DeviceNotFound, UpstreamUnavailable } from '../errors.js';
import { IdentityTokens } from './identity-tokens.js';
import { deviceIn, type Route, scopeRuleFor } from './routes.js';
import { UpstreamCalls } from './upstream-calls.js';

const timeoutMs = 10_000;

/** Throws ConcernsWholeAccount. */
export const mustSeeAllDevices = ({ deviceGroups }: Identity): void => {
  if (deviceGroups) throw new ConcernsWholeAccount();
};

/**
 * Keeps callers that are limited to device groups to their devices. The registry knows which devices are in which groups:
 * it is asked for each request, so that a device that moves is seen or not seen at once.
 */
@Injectable()
export class DeviceScopes {
  constructor(
    private readonly upstreams: UpstreamCalls,
    private readonly tokens: IdentityTokens,
  ) {}

  /** Throws ConcernsWholeAccount; DeviceNotFound for a device of others, as for one that does not exist. */
  async admitRequest(caller: Identity, route: Route, method: string, path: string): Promise<void> {
    const rule = scopeRuleFor(route, method);
    if (rule === 'refused') throw new ConcernsWholeAccount();
    if (rule === 'device') await this.mustBeMine(caller, deviceIn(route, path) ?? '');
  }

  /**
   * Throws DeviceNotFound, or UpstreamUnavailable when the registry does not decide. `deviceId`: compared as it is
   * written, because an upstream could read another spelling differently.
   */
  async mustBeMine(caller: Identity, deviceId: string): Promise<void> {
    if (!isId(deviceId)) throw new DeviceNotFound();
    const headers = {
      [identityHeader]: this.tokens.tokenFor(caller, 'registry'),
      [requestIdHeader]: caller.requestId,
    };
    const response = await this.upstreams.get('registry', `/device-scope/${deviceId}`, timeoutMs, headers);
    await response.body.dump().catch(() => undefined);
    if (response.statusCode === 404) throw new DeviceNotFound();
    if (response.statusCode !== 204) throw new UpstreamUnavailable('registry');
  }
}
