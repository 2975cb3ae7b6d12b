import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an import of an account was worked on last, whether or not that import is still there. */
export class ImportTurns1764400000000 implements MigrationInterface {
  readonly name = 'ImportTurns1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registry.import_turns (
        account_id text PRIMARY KEY,
        taken_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registry.import_turns');
  }
}
