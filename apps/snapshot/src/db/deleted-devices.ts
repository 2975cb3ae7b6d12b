/**
 * SQL condition: the device is not known to be deleted. What arrives late about a deleted one, such as after an outage of this service, is
 * not stored: its snapshot may be removed already, and is not removed a second time. A subquery finds the device by its key, whatever
 * PostgreSQL knows about the sizes of the tables; it may turn NOT EXISTS into a scan of all devices.
 */
export const isNotDeleted = (deviceId: string): string =>
  `(SELECT g.deleted_at FROM snapshot.devices g WHERE g.device_id = ${deviceId}) IS NULL`;
