import { sqlMigration } from '@lanyard/service';

/** The newest first contacts of an account, which may not be in the directory yet. */
export class FirstContactsByTime1796544000000 extends sqlMigration({
  up: 'CREATE INDEX IF NOT EXISTS first_contacts_by_time ON first_contacts (account_id, created_at)',
  down: 'DROP INDEX first_contacts_by_time',
}) {}
