import { sqlMigration } from '@lanyard/service';

export class Sessions1796342400000 extends sqlMigration({
  up: `
    CREATE TABLE sessions (
      id text PRIMARY KEY,
      account_id text NOT NULL REFERENCES accounts (id),
      holder_id text NOT NULL,
      secret_hash text NOT NULL,
      created_at timestamptz NOT NULL,
      last_used_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX ON sessions (holder_id, created_at);
    CREATE INDEX ON sessions (expires_at)`,
  down: 'DROP TABLE sessions',
}) {}
