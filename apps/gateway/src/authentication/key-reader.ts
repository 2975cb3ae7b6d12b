import { PreparedStatement } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountLimits } from '../db/account.entity.js';
import { admin, type Granting, installation, rightsOf } from '../permissions.js';

export interface KnownSecret {
  hash: string;
  /** The secret is valid only before this time: a rotation overlaps, or the secret expires. */
  untilMs?: number;
  /** Set for applications: the access key. */
  accessKeyId?: string;
}

/** The identity and the rights of a key, of an application with its access keys, or of a user. */
export interface KnownKey {
  /** Id of the key, application or user to which channel and subscriptions belong. */
  keyId: string;
  accountId: string;
  /** At most two. */
  secrets: KnownSecret[];
  active: boolean;
  accountActive: boolean;
  groups: string[];
  permissions: string[];
  /** Ids of the device groups that it is limited to; absent: all devices. */
  deviceGroups?: readonly string[];
  /** Networks that it may be used from; absent: any. */
  sourceAddresses?: readonly string[];
  limits: AccountLimits;
  tier: 'free' | 'commercial';
}

interface Row {
  id: string;
  account_id: string;
  secrets: { id?: string; hash: string | null; until: string | null }[];
  active: boolean;
  account_active: boolean;
  tier: 'free' | 'commercial';
  limits: AccountLimits;
  of_installation: boolean;
  device_groups: string[] | null;
  source_addresses: string[] | null;
  groups: (Granting & { id: string })[];
}

const principalsSql = `
  SELECT k.id, k.account_id, k.status = 'active' AS active,
    jsonb_build_array(jsonb_build_object('hash', k.hash, 'until', k.expires_at),
      jsonb_build_object('hash', k.previous_hash, 'until', least(k.previous_until, k.expires_at))) AS secrets,
    ARRAY(SELECT m.group_id FROM api_key_groups m WHERE m.key_id = k.id) AS group_ids, k.device_groups, k.source_addresses
  FROM api_keys k WHERE k.id = $1
  UNION ALL
  SELECT p.id, p.account_id, p.status = 'active',
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', x.id, 'hash', x.hash, 'until', x.expires_at) ORDER BY x.id)
      FROM access_keys x WHERE x.application_id = p.id AND x.status = 'active'), '[]'),
    ARRAY(SELECT m.group_id FROM application_groups m WHERE m.application_id = p.id), NULL, NULL
  FROM applications p WHERE p.id = $1
  UNION ALL
  SELECT u.id, u.account_id, u.status = 'active', jsonb_build_array(jsonb_build_object('hash', u.hash, 'until', NULL)),
    ARRAY(SELECT m.group_id FROM user_groups m WHERE m.user_id = u.id), NULL, NULL
  FROM users u WHERE u.id = $1`;

const readPrincipal = new PreparedStatement<Row>(`
  SELECT p.id, p.account_id, p.active, p.secrets, p.device_groups, p.source_addresses,
    a.status = 'active' AS account_active, a.tier, a.limits,
    a.parent_id IS NULL AS of_installation,
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', g.id, 'kind', g.kind, 'permissions', g.permissions,
        'deviceGroups', g.device_groups) ORDER BY g.id)
      FROM key_groups g WHERE g.id = ANY(p.group_ids)), '[]') AS groups
  FROM (${principalsSql}) p JOIN accounts a ON a.id = p.account_id`);

const secretsOf = ({ secrets }: Row): KnownSecret[] =>
  secrets.flatMap(({ id, hash, until }) =>
    hash === null
      ? []
      : { hash, ...(until !== null && { untilMs: Date.parse(until) }), ...(id !== undefined && { accessKeyId: id }) },
  );

const rightsOfRow = ({
  groups,
  device_groups: ownLimit,
  of_installation: ofInstallation,
}: Row): Pick<KnownKey, 'permissions' | 'deviceGroups'> => {
  const { permissions, deviceGroups } = rightsOf(groups, ownLimit);
  return {
    permissions: ofInstallation && permissions.includes(admin) ? [...permissions, installation] : permissions,
    ...(deviceGroups && { deviceGroups }),
  };
};

/** Reads keys, applications and users with their accounts and groups. */
@Injectable()
export class KeyReader {
  constructor(private readonly database: DataSource) {}

  /** undefined for an unknown id. */
  async read(keyId: string): Promise<KnownKey | undefined> {
    const [row] = await readPrincipal.run(this.database.manager, [keyId]);
    return (
      row && {
        keyId: row.id,
        accountId: row.account_id,
        secrets: secretsOf(row),
        active: row.active,
        accountActive: row.account_active,
        groups: row.groups.map((group) => group.id),
        ...rightsOfRow(row),
        ...(row.source_addresses && { sourceAddresses: row.source_addresses }),
        limits: row.limits,
        tier: row.tier,
      }
    );
  }
}
