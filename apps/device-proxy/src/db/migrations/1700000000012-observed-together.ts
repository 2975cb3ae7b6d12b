import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Several paths may be observed together: a command asks for all of them. */
export class ObservedTogether1700000000012 implements MigrationInterface {
  readonly name = 'ObservedTogether1700000000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE subscription ADD COLUMN together text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE subscription DROP COLUMN together`);
  }
}
