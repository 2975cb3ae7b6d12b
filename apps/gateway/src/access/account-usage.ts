import {
  CLOCK,
  type Clock,
  CONFIG,
  formatTimestamp,
  type Identity,
  identityHeader,
  requestIdHeader,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { GatewayConfig } from '../config.js';
import { IdentityTokens } from '../proxy/identity-tokens.js';
import { UpstreamCalls } from '../proxy/upstream-calls.js';
import { UpstreamUnavailable } from '../errors.js';
import type { Account } from '../db/account.entity.js';
import type { AccountUsage } from './account-record.js';
import { applicationsMax } from './applications.service.js';
import { devices } from '../permissions.js';

const timeoutMs = 10_000;

interface OwnUse {
  keys: number;
  applications: number;
  groups: number;
}

/** How much of its quotas an account uses: the gateway counts keys, the registry counts devices. */
@Injectable()
export class AccountUsages {
  constructor(
    private readonly database: DataSource,
    private readonly upstreams: UpstreamCalls,
    private readonly tokens: IdentityTokens,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws UpstreamUnavailable when the registry does not answer. */
  async usageOf(account: Account, caller: Identity): Promise<AccountUsage> {
    const { id, limits } = account;
    const [own, deviceCount, groupCount] = await Promise.all([
      this.ownUse(id),
      this.totalOf('/v3/devices', id, caller),
      this.totalOf('/v3/device-groups', id, caller),
    ]);
    return {
      object: 'account-usage',
      account_id: id,
      devices: { used: deviceCount, limit: limits.devices ?? null },
      device_groups: { used: groupCount, limit: null },
      api_keys: { used: own.keys, limit: limits.api_keys ?? null },
      applications: { used: own.applications, limit: limits.applications ?? applicationsMax[account.tier] },
      key_groups: { used: own.groups, limit: null },
      requests_per_second: { limit: limits.requests_per_second ?? this.config.accountRate.perSecond },
      created_at: formatTimestamp(this.clock.now()),
    };
  }

  private async ownUse(accountId: string): Promise<OwnUse> {
    const [row] = await this.database.query<OwnUse[]>(
      `SELECT (SELECT count(*)::int FROM api_keys WHERE account_id = $1) AS keys,
         (SELECT count(*)::int FROM applications WHERE account_id = $1) AS applications,
         (SELECT count(*)::int FROM key_groups WHERE account_id = $1) AS groups`,
      [accountId],
    );
    return row ?? { keys: 0, applications: 0, groups: 0 };
  }

  private async totalOf(path: string, accountId: string, caller: Identity): Promise<number> {
    const token = this.tokens.sign({ ...caller, accountId, permissions: [devices] }, 'registry');
    const headers = { [identityHeader]: token, [requestIdHeader]: caller.requestId };
    const query = 'limit=2&include=total_count';
    const response = await this.upstreams.get('registry', `${path}?${query}`, timeoutMs, headers);
    const body = (await response.body.json().catch(() => ({}))) as { total_count?: number };
    if (body.total_count === undefined) throw new UpstreamUnavailable('registry');
    return body.total_count;
  }
}
