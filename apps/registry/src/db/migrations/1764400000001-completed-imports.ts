import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports whose report has been kept long enough are found by when they were completed. */
export class CompletedImports1764400000001 implements MigrationInterface {
  readonly name = 'CompletedImports1764400000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX device_imports_completed ON registry.device_imports (completed_at) WHERE status = 'completed'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registry.device_imports_completed');
  }
}
