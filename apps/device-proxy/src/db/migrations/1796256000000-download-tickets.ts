import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Commands of campaigns may write a package. */
export class DownloadTickets1796256000000 implements MigrationInterface {
  name = 'DownloadTickets1796256000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commands ADD COLUMN download_ticket text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commands DROP COLUMN download_ticket');
  }
}
