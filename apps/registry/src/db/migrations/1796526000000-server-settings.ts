import { sqlMigration } from '@lanyard/service';

/** Resources of the Server object; null: not written to the device. */
const columns = [
  ['disable_timeout_seconds', 'integer'],
  ['initial_registration_delay_seconds', 'integer'],
  ['bootstrap_on_registration_failure', 'boolean'],
  ['communication_retry_count', 'integer'],
  ['communication_retry_seconds', 'integer'],
  ['communication_sequence_delay_seconds', 'integer'],
  ['communication_sequence_retry_count', 'integer'],
  ['preferred_transport', 'text'],
  ['mute_send', 'boolean'],
  ['confirmable_notifications', 'boolean'],
] as const;

const changing = (clauses: readonly string[]): string => `ALTER TABLE bootstrap_profiles ${clauses.join(', ')}`;

export class ServerSettings1796526000000 extends sqlMigration({
  up: changing(columns.map(([name, type]) => `ADD COLUMN ${name} ${type}`)),
  down: changing(columns.map(([name]) => `DROP COLUMN ${name}`)),
}) {}
