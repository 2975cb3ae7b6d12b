import { sqlMigration } from '@lanyard/service';

/** The result of a command that was sent with `noResp` goes to no channel. */
export class NoResponse1796547600000 extends sqlMigration({
  up: 'ALTER TABLE commands ADD COLUMN no_response boolean NOT NULL DEFAULT false',
  down: 'ALTER TABLE commands DROP COLUMN no_response',
}) {}
