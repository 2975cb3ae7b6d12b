import { sqlMigration } from '@lanyard/service';

export class UnfinishedCommands1796436000000 extends sqlMigration({
  up: `CREATE INDEX IF NOT EXISTS commands_unfinished ON commands (account_id, id) WHERE state IN ('waiting', 'executing')`,
  down: 'DROP INDEX commands_unfinished',
}) {}
