import type { Clock } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { AccountLimits } from '../db/account.entity.js';
import { admin, type Granting, installation, permissionsOf } from '../permissions.js';

/** What proves a key or an application. */
export interface KnownSecret {
  hash: string;
  /** Valid before that time only: a rotation overlaps, or it expires. */
  untilMs?: number;
  /** Of applications: which access key it is. */
  accessKeyId?: string;
}

/** What a key, or the access keys of an application, are good for. */
export interface KnownKey {
  /** Of the key, or of the application: channel and subscriptions belong to it. */
  keyId: string;
  accountId: string;
  /** Two at most. */
  secrets: KnownSecret[];
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
  secrets: { id?: string; hash: string | null; until: string | null }[];
  active: boolean;
  account_active: boolean;
  tier: 'free' | 'commercial';
  limits: AccountLimits;
  of_installation: boolean;
  groups: (Granting & { id: string })[];
}

const holdersSql = `
  SELECT k.id, k.account_id, k.status = 'active' AS active,
    jsonb_build_array(jsonb_build_object('hash', k.hash, 'until', k.expires_at),
      jsonb_build_object('hash', k.previous_hash, 'until', least(k.previous_until, k.expires_at))) AS secrets,
    ARRAY(SELECT m.group_id FROM api_key_groups m WHERE m.key_id = k.id) AS group_ids
  FROM api_keys k WHERE k.id = $1
  UNION ALL
  SELECT p.id, p.account_id, p.status = 'active',
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', x.id, 'hash', x.hash, 'until', x.expires_at) ORDER BY x.id)
      FROM access_keys x WHERE x.application_id = p.id AND x.status = 'active'), '[]'),
    ARRAY(SELECT m.group_id FROM application_groups m WHERE m.application_id = p.id)
  FROM applications p WHERE p.id = $1`;

const sql = `
  SELECT h.id, h.account_id, h.active, h.secrets, a.status = 'active' AS account_active, a.tier, a.limits,
    a.parent_id IS NULL AS of_installation,
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', g.id, 'kind', g.kind, 'permissions', g.permissions) ORDER BY g.id)
      FROM key_groups g WHERE g.id = ANY(h.group_ids)), '[]') AS groups
  FROM (${holdersSql}) h JOIN accounts a ON a.id = h.account_id`;

const secretsOf = ({ secrets }: Row): KnownSecret[] =>
  secrets.flatMap(({ id, hash, until }) =>
    hash === null
      ? []
      : { hash, ...(until !== null && { untilMs: Date.parse(until) }), ...(id !== undefined && { accessKeyId: id }) },
  );

const permissionsOfRow = ({ groups, of_installation: ofInstallation }: Row): string[] => {
  const permissions = permissionsOf(groups);
  return ofInstallation && permissions.includes(admin) ? [...permissions, installation] : permissions;
};

/** Reads a key or an application with its account and groups; undefined for an unknown id. */
export const keyReader =
  (database: DataSource) =>
  async (keyId: string): Promise<KnownKey | undefined> => {
    const [row] = await database.query<Row[]>(sql, [keyId]);
    return (
      row && {
        keyId: row.id,
        accountId: row.account_id,
        secrets: secretsOf(row),
        active: row.active,
        accountActive: row.account_active,
        groups: row.groups.map((group) => group.id),
        permissions: permissionsOfRow(row),
        limits: row.limits,
        tier: row.tier,
      }
    );
  };

/** A key as it was when it was last read. */
export interface LastRead {
  key: KnownKey;
  /** Whether it may be honoured as it is; otherwise it has to be read again. */
  isRecent: boolean;
}

/** Keys that were read, in this replica's memory, the last 50,000. Only what exists is remembered. */
export class KnownKeys {
  private readonly keys = new Map<string, { key: KnownKey; untilMs: number }>();
  private readonly loading = new Map<string, Promise<KnownKey | undefined>>();
  /** A read that began before something was outdated may hold the old state: it is not remembered. */
  private generation = 0;

  constructor(
    private readonly read: (keyId: string) => Promise<KnownKey | undefined>,
    private readonly clock: Clock,
  ) {}

  last(keyId: string): LastRead | undefined {
    const entry = this.keys.get(keyId);
    return entry && { key: entry.key, isRecent: entry.untilMs > this.clock.now() };
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

  /** It is read again before it is honoured again. */
  outdate(keyId: string): void {
    this.generation++;
    const entry = this.keys.get(keyId);
    if (entry) entry.untilMs = 0;
    this.loading.delete(keyId);
  }

  outdateAll(): void {
    this.generation++;
    for (const entry of this.keys.values()) entry.untilMs = 0;
    this.loading.clear();
  }

  private async readAndRemember(keyId: string): Promise<KnownKey | undefined> {
    // The five seconds count from before the read: what it saw is at least that young.
    const untilMs = this.clock.now() + knownMs;
    const generation = this.generation;
    const key = await this.read(keyId);
    if (generation !== this.generation) return key;
    this.keys.delete(keyId);
    if (!key) return undefined;
    this.keys.set(keyId, { key, untilMs });
    const [oldest] = this.keys.keys();
    if (this.keys.size > keysMax && oldest !== undefined) this.keys.delete(oldest);
    return key;
  }
}
