import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In which groups devices are, as the registry announces it. */
export class Memberships1764200000000 implements MigrationInterface {
  readonly name = 'Memberships1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_log.memberships (
        device_id text PRIMARY KEY,
        account_id text NOT NULL,
        groups text[] NOT NULL,
        revision bigint NOT NULL
      )`);
    await runner.query('CREATE INDEX memberships_by_group ON event_log.memberships USING gin (groups)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE event_log.memberships');
  }
}
