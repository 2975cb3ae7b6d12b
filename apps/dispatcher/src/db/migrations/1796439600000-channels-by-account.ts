import { sqlMigration } from '@lanyard/service';

/** For the lists of an account's channels. */
export class ChannelsByAccount1796439600000 extends sqlMigration({
  up: 'CREATE INDEX IF NOT EXISTS channels_by_account ON channels (account_id, key_id)',
  down: 'DROP INDEX channels_by_account',
}) {}
