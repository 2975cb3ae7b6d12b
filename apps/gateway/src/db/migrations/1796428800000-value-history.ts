import { sqlMigration } from '@lanyard/service';

export class ValueHistory1796428800000 extends sqlMigration({
  up: 'ALTER TABLE accounts ADD COLUMN value_history jsonb',
  down: 'ALTER TABLE accounts DROP COLUMN value_history',
}) {}
