import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A command names the call that brought it in the logs, whichever replica carries it out. */
export class RequestOfACommand1700000000013 implements MigrationInterface {
  readonly name = 'RequestOfACommand1700000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE command ADD COLUMN request_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE command DROP COLUMN request_id`);
  }
}
