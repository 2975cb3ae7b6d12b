import { BackgroundWork } from '@lanyard/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How late `last_login_time` may be. */
const flushPeriodMs = 5_000;

/**
 * Writes the times to the rows of a table, and returns the ids of those that a change has locked. To wait for one would keep the
 * rows of all other accounts locked, and end in a deadlock with a change of several keys.
 */
const flushSql = (table: string, column: string): string => `
  WITH v AS (SELECT * FROM unnest($1::text[], $2::timestamptz[]) AS v (id, at)),
    free AS (SELECT t.id FROM ${table} t JOIN v ON v.id = t.id FOR NO KEY UPDATE OF t SKIP LOCKED),
    written AS (
      UPDATE ${table} t SET ${column} = greatest(t.${column}, v.at) FROM v JOIN free ON free.id = v.id WHERE t.id = v.id)
  SELECT t.id FROM ${table} t JOIN v ON v.id = t.id WHERE t.id NOT IN (SELECT id FROM free)`;

/** Ids of keys, applications, users and access keys together: each table has its own. */
const flushes = [
  flushSql('api_keys', 'last_login_at'),
  flushSql('applications', 'last_used_at'),
  flushSql('users', 'last_used_at'),
  flushSql('access_keys', 'last_used_at'),
];

/** When each key was last used, collected in memory and written in batches. A crash loses only the last seconds. */
@Injectable()
export class LastLogins extends BackgroundWork implements OnApplicationShutdown {
  private seen = new Map<string, number>();

  constructor(private readonly database: DataSource) {
    super(flushPeriodMs, 'last logins not written: will be retried');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('last logins', () => this.step());
  }

  /** `accessKeyId`: the one that the application used. */
  recordLogin(keyId: string, accessKeyId?: string): void {
    const now = this.clock.now();
    this.seen.set(keyId, now);
    if (accessKeyId !== undefined) this.seen.set(accessKeyId, now);
  }

  protected async step(): Promise<void> {
    const seen = this.seen;
    this.seen = new Map();
    if (seen.size === 0) return;
    let left = seen;
    try {
      left = await this.write(seen);
    } finally {
      this.seen = new Map([...left, ...this.seen]);
    }
  }

  /** Returns those that are left to the next flush. */
  private async write(seen: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    const times = [[...seen.keys()], [...seen.values()].map((ms) => new Date(ms))];
    const left = new Map<string, number>();
    for (const sql of flushes)
      for (const { id } of await this.database.query<{ id: string }[]>(sql, times)) left.set(id, seen.get(id) ?? 0);
    return left;
  }
}
