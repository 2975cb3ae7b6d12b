import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The order in which entries were stored, for who follows the log: 0 for those from before. Months stay until they are
 * past their life, also those without entries: the version before looks for them when it starts.
 */
export class Positions1764100000000 implements MigrationInterface {
  readonly name = 'Positions1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    // Indexes of a large log take longer than a statement may.
    await runner.query('SET LOCAL statement_timeout = 0');
    await runner.query('CREATE SEQUENCE event_log.positions');
    await runner.query('ALTER TABLE event_log.device_events ADD COLUMN position bigint NOT NULL DEFAULT 0');
    await runner.query(
      `ALTER TABLE event_log.device_events ALTER COLUMN position SET DEFAULT nextval('event_log.positions')`,
    );
    await runner.query('CREATE INDEX device_events_by_position ON event_log.device_events (account_id, position)');
    await runner.query(
      'CREATE INDEX device_events_by_type ON event_log.device_events (account_id, event_type, date_time, id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX event_log.device_events_by_type, event_log.device_events_by_position');
    await runner.query('ALTER TABLE event_log.device_events DROP COLUMN position');
    await runner.query('DROP SEQUENCE event_log.positions');
  }
}
