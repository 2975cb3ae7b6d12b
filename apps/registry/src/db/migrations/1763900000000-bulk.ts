import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Saved queries, bulk imports and their reports. */
export class Bulk1763900000000 implements MigrationInterface {
  readonly name = 'Bulk1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registry.device_queries (
        id text PRIMARY KEY,
        account_id text NOT NULL,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        query text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query('CREATE UNIQUE INDEX device_queries_name ON registry.device_queries (account_id, name)');
    await runner.query(`
      CREATE TABLE registry.device_imports (
        id text PRIMARY KEY,
        account_id text NOT NULL,
        key_id text NOT NULL,
        name text NOT NULL,
        status text NOT NULL,
        total_count integer NOT NULL DEFAULT 0,
        processed_count integer NOT NULL DEFAULT 0,
        errors_count integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        completed_at timestamptz
      )`);
    await runner.query('CREATE INDEX device_imports_by_account ON registry.device_imports (account_id, id)');
    await runner.query(
      `CREATE INDEX device_imports_open ON registry.device_imports (touched_at) WHERE status <> 'completed'`,
    );
    await runner.query(`
      CREATE TABLE registry.device_import_rows (
        import_id text NOT NULL REFERENCES registry.device_imports (id) ON DELETE CASCADE,
        row_number integer NOT NULL,
        fields jsonb NOT NULL,
        PRIMARY KEY (import_id, row_number)
      )`);
    await runner.query(`
      CREATE TABLE registry.device_import_errors (
        import_id text NOT NULL REFERENCES registry.device_imports (id) ON DELETE CASCADE,
        row_number integer NOT NULL,
        endpoint_name text NOT NULL,
        field text NOT NULL,
        message text NOT NULL
      )`);
    await runner.query(
      'CREATE INDEX device_import_errors_by_row ON registry.device_import_errors (import_id, row_number)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE registry.device_import_errors, registry.device_import_rows, registry.device_imports, registry.device_queries',
    );
  }
}
