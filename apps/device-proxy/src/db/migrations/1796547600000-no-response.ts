import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The result of a command that was sent with `noResp` goes to no channel. */
export class NoResponse1796547600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commands ADD COLUMN no_response boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commands DROP COLUMN no_response');
  }
}
