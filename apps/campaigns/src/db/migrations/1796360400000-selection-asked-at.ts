import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when the directory has not answered the next page of a selection. */
export class SelectionAskedAt1796360400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE update_campaigns ADD COLUMN selection_asked_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE update_campaigns DROP COLUMN selection_asked_at');
  }
}
