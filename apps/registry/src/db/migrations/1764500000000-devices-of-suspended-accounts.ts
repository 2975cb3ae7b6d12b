import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Devices that were created in suspended accounts before these were suspended with them: SystemSuspension looks again. */
export class DevicesOfSuspendedAccounts1764500000000 implements MigrationInterface {
  readonly name = 'DevicesOfSuspendedAccounts1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE registry.account_standings SET settled = false WHERE suspended');
  }

  async down(): Promise<void> {
    // Nothing: who is settled is found out by looking.
  }
}
