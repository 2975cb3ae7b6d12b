import type { MigrationInterface, QueryRunner } from 'typeorm';

export class UnfinishedCommands1796436000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX IF NOT EXISTS commands_unfinished ON commands (account_id, id) WHERE state IN ('waiting', 'executing')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX commands_unfinished');
  }
}
