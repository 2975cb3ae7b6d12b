import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A command is traced from the call that brought it to its result, whichever replica carries it out. */
export class TraceOfACommand1700000000011 implements MigrationInterface {
  readonly name = 'TraceOfACommand1700000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE command ADD COLUMN trace_parent text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE command DROP COLUMN trace_parent`);
  }
}
