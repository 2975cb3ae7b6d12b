import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts that are or were suspended, and whether their devices follow already. */
export class AccountStandings1764100000000 implements MigrationInterface {
  readonly name = 'AccountStandings1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registry.account_standings (
        account_id text PRIMARY KEY,
        suspended boolean NOT NULL,
        changed_at timestamptz NOT NULL,
        settled boolean NOT NULL,
        touched_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(
      'CREATE INDEX account_standings_open ON registry.account_standings (touched_at) WHERE NOT settled',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registry.account_standings');
  }
}
