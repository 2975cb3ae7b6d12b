import { sqlMigration } from '@lanyard/service';

export class Users1796436000000 extends sqlMigration({
  up: `
    CREATE TABLE users (
      id text PRIMARY KEY,
      account_id text NOT NULL REFERENCES accounts (id),
      issuer text NOT NULL,
      subject text NOT NULL,
      name text NOT NULL,
      email text,
      hash text NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'inactive')),
      revision integer NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      last_used_at timestamptz,
      CONSTRAINT users_subject UNIQUE (issuer, subject, account_id)
    );
    CREATE INDEX ON users (account_id, id);

    CREATE TABLE user_groups (
      user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      group_id text NOT NULL REFERENCES key_groups (id) ON DELETE CASCADE,
      PRIMARY KEY (user_id, group_id)
    );
    CREATE INDEX ON user_groups (group_id);

    ALTER TABLE sessions ADD COLUMN refresh_token text, ADD COLUMN refresh_at timestamptz`,
  down: `
    ALTER TABLE sessions DROP COLUMN refresh_token, DROP COLUMN refresh_at;
    DROP TABLE user_groups, users`,
}) {}
