import {
  type Clock,
  formatTimestamp,
  type Identity,
  identityHeader,
  requestIdHeader,
  type Metrics,
} from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { forward } from '../proxy/forward.js';
import type { IdentityTokens } from '../proxy/identity-tokens.js';
import type { Replicas } from '../proxy/replicas.js';
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

export interface UsageParts {
  database: DataSource;
  registry: Replicas;
  tokens: IdentityTokens;
  requestsPerSecond: number;
  clock: Clock;
  metrics: Metrics;
}

/** What an account uses of its quotas: keys are counted here, devices by the registry. */
export class AccountUsages {
  constructor(private readonly parts: UsageParts) {}

  /** Throws UpstreamUnavailable when the registry does not answer. */
  async of(account: Account, caller: Identity): Promise<AccountUsage> {
    const { id, limits } = account;
    const [own, deviceCount, groupCount] = await Promise.all([
      this.own(id),
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
      requests_per_second: { limit: limits.requests_per_second ?? this.parts.requestsPerSecond },
      created_at: formatTimestamp(this.parts.clock.now()),
    };
  }

  private async own(accountId: string): Promise<OwnUse> {
    const [row] = await this.parts.database.query<OwnUse[]>(
      `SELECT (SELECT count(*)::int FROM api_keys WHERE account_id = $1) AS keys,
         (SELECT count(*)::int FROM applications WHERE account_id = $1) AS applications,
         (SELECT count(*)::int FROM key_groups WHERE account_id = $1) AS groups`,
      [accountId],
    );
    return row ?? { keys: 0, applications: 0, groups: 0 };
  }

  private async totalOf(path: string, accountId: string, caller: Identity): Promise<number> {
    const { registry, tokens, metrics } = this.parts;
    const token = tokens.sign({ ...caller, accountId, permissions: [devices] }, 'registry');
    const answer = await forward(
      registry,
      {
        method: 'GET',
        path: `${path}?limit=2&include=total_count`,
        headers: { accept: 'application/json', [identityHeader]: token, [requestIdHeader]: caller.requestId },
        body: { open: () => null, repeatable: () => true },
        signal: AbortSignal.timeout(timeoutMs),
      },
      metrics,
    ).catch((cause: unknown) => {
      throw new UpstreamUnavailable(registry.upstream, cause);
    });
    const body = (await answer.body.json()) as { total_count?: number };
    if (body.total_count === undefined) throw new UpstreamUnavailable(registry.upstream);
    return body.total_count;
  }
}
