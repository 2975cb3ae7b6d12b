import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For explanations of a device, which show what became of its commands. */
export class CommandsOfADevice1700000000010 implements MigrationInterface {
  readonly name = 'CommandsOfADevice1700000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX command_device ON command (device_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX command_device`);
  }
}
