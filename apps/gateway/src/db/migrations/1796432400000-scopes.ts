import { sqlMigration } from '@lanyard/service';

export class Scopes1796432400000 extends sqlMigration({
  up: `
    ALTER TABLE api_keys ADD COLUMN device_groups text[], ADD COLUMN source_addresses text[];
    ALTER TABLE key_groups ADD COLUMN device_groups text[]`,
  down: `
    ALTER TABLE key_groups DROP COLUMN device_groups;
    ALTER TABLE api_keys DROP COLUMN device_groups, DROP COLUMN source_addresses`,
}) {}
