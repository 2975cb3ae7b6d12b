import { BackgroundWork } from '@lanyard/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How late `last_login_time` may be. */
const flushPeriodMs = 5_000;

/** Ids of keys, applications, users and access keys together: each table updates its own. */
const flushSql = `
  WITH v AS (SELECT * FROM unnest($1::text[], $2::timestamptz[]) AS v (id, at)),
    applications AS (UPDATE applications p SET last_used_at = greatest(p.last_used_at, v.at) FROM v WHERE p.id = v.id),
    users AS (UPDATE users u SET last_used_at = greatest(u.last_used_at, v.at) FROM v WHERE u.id = v.id),
    access_keys AS (UPDATE access_keys x SET last_used_at = greatest(x.last_used_at, v.at) FROM v WHERE x.id = v.id)
  UPDATE api_keys k SET last_login_at = greatest(k.last_login_at, v.at) FROM v WHERE v.id = k.id`;

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
    try {
      await this.database.query(flushSql, [[...seen.keys()], [...seen.values()].map((ms) => new Date(ms))]);
    } catch (error) {
      this.seen = new Map([...seen, ...this.seen]);
      throw error;
    }
  }
}
