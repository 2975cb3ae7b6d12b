import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log, partitioned by month. A default partition takes what lies outside the months that exist. */
export class DeviceEvents1732147200000 implements MigrationInterface {
  readonly name = 'DeviceEvents1732147200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_log.device_events (
        id text NOT NULL,
        date_time timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        account_id text NOT NULL,
        device_id text NOT NULL,
        event_code text NOT NULL,
        event_type text NOT NULL,
        event_type_category text NOT NULL,
        event_type_description text NOT NULL,
        description text NOT NULL,
        state_change boolean NOT NULL,
        changes jsonb NOT NULL,
        data jsonb NOT NULL,
        PRIMARY KEY (id, date_time)
      ) PARTITION BY RANGE (date_time)`);
    await runner.query('CREATE TABLE event_log.device_events_other PARTITION OF event_log.device_events DEFAULT');
    await runner.query('CREATE INDEX device_events_by_account ON event_log.device_events (account_id, date_time, id)');
    await runner.query(
      'CREATE INDEX device_events_by_device ON event_log.device_events (account_id, device_id, date_time, id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE event_log.device_events');
  }
}
