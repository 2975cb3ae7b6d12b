import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Devices by name: without it, a list that asks for one looks at every device of the account. */
export class DeviceNames1764300000000 implements MigrationInterface {
  readonly name = 'DeviceNames1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    // An index of a large directory takes longer than a statement may.
    await runner.query('SET LOCAL statement_timeout = 0');
    await runner.query('CREATE INDEX devices_by_name ON registry.devices (account_id, name, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registry.devices_by_name');
  }
}
