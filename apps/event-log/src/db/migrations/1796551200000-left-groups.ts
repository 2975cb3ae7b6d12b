import { sqlMigration } from '@lanyard/service';

/** Devices that have left their last group: a fact that is stored late must not put them back. */
export class LeftGroups1796551200000 extends sqlMigration({
  up: `
    ALTER TABLE memberships ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();
    CREATE INDEX memberships_without_groups ON memberships (changed_at) WHERE groups = '{}'`,
  down: `
    DELETE FROM memberships WHERE groups = '{}';
    DROP INDEX memberships_without_groups;
    ALTER TABLE memberships DROP COLUMN changed_at`,
}) {}
