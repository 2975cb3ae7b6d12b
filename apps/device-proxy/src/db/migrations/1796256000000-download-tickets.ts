import { sqlMigration } from '@lanyard/service';

/** Commands of campaigns may write a package. */
export class DownloadTickets1796256000000 extends sqlMigration({
  up: 'ALTER TABLE commands ADD COLUMN download_ticket text',
  down: 'ALTER TABLE commands DROP COLUMN download_ticket',
}) {}
