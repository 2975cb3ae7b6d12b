import { sqlMigration } from '@lanyard/service';

/** Ids of deleted devices: a first contact that is read again must not create them. */
export class DeletedDevices1796544000000 extends sqlMigration({
  up: `
    -- A trigger notes them, so that no deletion is left out.
    CREATE TABLE deleted_devices (
      id text PRIMARY KEY,
      deleted_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX deleted_devices_by_time ON deleted_devices (deleted_at);
    CREATE FUNCTION note_deleted_devices() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO registry.deleted_devices (id) SELECT id FROM deleted ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;
    CREATE TRIGGER devices_deleted AFTER DELETE ON devices
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_devices()`,
  down: `
    DROP TRIGGER devices_deleted ON devices;
    DROP FUNCTION note_deleted_devices;
    DROP TABLE deleted_devices`,
}) {}
