import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether `reported_at` is the time of the device: such values are ordered by it. */
export class MeasuredValues1764200000000 implements MigrationInterface {
  readonly name = 'MeasuredValues1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE snapshot.resources ADD COLUMN reported_measured boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE snapshot.resources DROP COLUMN reported_measured');
  }
}
