import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Devices whose groups changed and are not announced yet. A trigger notes them, so that a membership that ends with
 * its group or its device counts as well, and one that a replica of an older version changes. Those that exist are noted
 * here.
 */
export class GroupChanges1764200000000 implements MigrationInterface {
  readonly name = 'GroupChanges1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registry.group_changes (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        device_id text NOT NULL,
        account_id text NOT NULL
      )`);
    // Of a device and a group one is gone at most: one statement deletes one of them, and its members with it.
    await runner.query(`
      CREATE FUNCTION registry.note_group_changes() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO registry.group_changes (device_id, account_id)
        SELECT DISTINCT c.device_id, COALESCE(d.account_id, g.account_id) FROM changed c
        LEFT JOIN registry.devices d ON d.id = c.device_id
        LEFT JOIN registry.device_groups g ON g.id = c.group_id;
        RETURN NULL;
      END $$`);
    for (const [name, event, table] of [
      ['added', 'INSERT', 'NEW'],
      ['removed', 'DELETE', 'OLD'],
    ] as const)
      await runner.query(`
        CREATE TRIGGER group_members_${name} AFTER ${event} ON registry.group_members
        REFERENCING ${table} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION registry.note_group_changes()`);
    await runner.query(`
      INSERT INTO registry.group_changes (device_id, account_id)
      SELECT DISTINCT m.device_id, d.account_id FROM registry.group_members m JOIN registry.devices d ON d.id = m.device_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER group_members_added ON registry.group_members');
    await runner.query('DROP TRIGGER group_members_removed ON registry.group_members');
    await runner.query('DROP FUNCTION registry.note_group_changes');
    await runner.query('DROP TABLE registry.group_changes');
  }
}
