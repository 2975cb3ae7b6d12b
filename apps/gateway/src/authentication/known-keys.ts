import type { Clock } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { AccountLimits } from '../access/account.entity.js';
import { admin, type Granting, installation, permissionsOf } from '../access/permissions.js';

/** What a key is good for. */
export interface KnownKey {
  keyId: string;
  accountId: string;
  hash: string;
  /** Valid beside `hash` until its time: a rotation overlaps. */
  previous?: { hash: string; untilMs: number };
  expiresAtMs?: number;
  active: boolean;
  accountActive: boolean;
  groups: string[];
  permissions: string[];
  limits: AccountLimits;
  tier: 'free' | 'commercial';
}

/** A key that was deleted, changed or reset on another replica is honoured no longer than this. */
const knownMs = 5_000;
const keysMax = 50_000;

interface Row {
  id: string;
  account_id: string;
  hash: string;
  active: boolean;
  account_active: boolean;
  tier: 'free' | 'commercial';
  previous_hash: string | null;
  previous_until: Date | null;
  expires_at: Date | null;
  limits: AccountLimits;
  of_installation: boolean;
  groups: (Granting & { id: string })[];
}

const sql = `
  SELECT k.id, k.account_id, k.hash, k.previous_hash, k.previous_until, k.expires_at, k.status = 'active' AS active, a.status = 'active' AS account_active, a.tier, a.limits,
    a.parent_id IS NULL AS of_installation,
    coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'kind', g.kind, 'permissions', g.permissions) ORDER BY g.id)
      FILTER (WHERE g.id IS NOT NULL), '[]') AS groups
  FROM api_keys k
  JOIN accounts a ON a.id = k.account_id
  LEFT JOIN api_key_groups m ON m.key_id = k.id
  LEFT JOIN key_groups g ON g.id = m.group_id
  WHERE k.id = $1
  GROUP BY k.id, a.id`;

const permissionsOfRow = ({ groups, of_installation: ofInstallation }: Row): string[] => {
  const permissions = permissionsOf(groups);
  return ofInstallation && permissions.includes(admin) ? [...permissions, installation] : permissions;
};

/** Reads a key with its account and groups; undefined for an unknown id. */
export const keyReader =
  (database: DataSource) =>
  async (keyId: string): Promise<KnownKey | undefined> => {
    const [row] = await database.query<Row[]>(sql, [keyId]);
    return (
      row && {
        keyId: row.id,
        accountId: row.account_id,
        hash: row.hash,
        ...(row.previous_hash !== null &&
          row.previous_until !== null && {
            previous: { hash: row.previous_hash, untilMs: row.previous_until.getTime() },
          }),
        ...(row.expires_at !== null && { expiresAtMs: row.expires_at.getTime() }),
        active: row.active,
        accountActive: row.account_active,
        groups: row.groups.map((group) => group.id),
        permissions: permissionsOfRow(row),
        limits: row.limits,
        tier: row.tier,
      }
    );
  };

/** Keys that were read a moment ago, in this replica's memory. Only what exists is remembered. */
export class KnownKeys {
  private readonly keys = new Map<string, { key: KnownKey; untilMs: number }>();
  private readonly loading = new Map<string, Promise<KnownKey | undefined>>();
  /** A read that began before something was forgotten may hold the old state: it is not remembered. */
  private generation = 0;

  constructor(
    private readonly read: (keyId: string) => Promise<KnownKey | undefined>,
    private readonly clock: Clock,
  ) {}

  recent(keyId: string): KnownKey | undefined {
    const entry = this.keys.get(keyId);
    return entry && entry.untilMs > this.clock.now() ? entry.key : undefined;
  }

  /** From the database. Callers that come meanwhile share the read. */
  load(keyId: string): Promise<KnownKey | undefined> {
    const under = this.loading.get(keyId);
    if (under) return under;
    const load = this.readAndRemember(keyId).finally(() => {
      if (this.loading.get(keyId) === load) this.loading.delete(keyId);
    });
    this.loading.set(keyId, load);
    return load;
  }

  forget(keyId: string): void {
    this.generation++;
    this.keys.delete(keyId);
    this.loading.delete(keyId);
  }

  forgetAll(): void {
    this.generation++;
    this.keys.clear();
    this.loading.clear();
  }

  private async readAndRemember(keyId: string): Promise<KnownKey | undefined> {
    // The five seconds count from before the read: what it saw is at least that young.
    const untilMs = this.clock.now() + knownMs;
    const generation = this.generation;
    const key = await this.read(keyId);
    if (!key || generation !== this.generation) return key;
    this.keys.delete(keyId);
    this.keys.set(keyId, { key, untilMs });
    const [oldest] = this.keys.keys();
    if (this.keys.size > keysMax && oldest !== undefined) this.keys.delete(oldest);
    return key;
  }
}
