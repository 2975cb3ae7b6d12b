import { sqlMigration } from '@lanyard/service';

/** The answer of a subscription is recognised when its command is carried out again. */
export class FirstAttempts1796529600000 extends sqlMigration({
  up: 'ALTER TABLE commands ADD COLUMN first_attempted_at timestamptz',
  down: 'ALTER TABLE commands DROP COLUMN first_attempted_at',
}) {}
