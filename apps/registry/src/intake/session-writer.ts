import type { DeviceSessionChanged } from '@lanyard/contracts';
import { lastOfDevices } from '@lanyard/kafka';
import { columnsOf, sharedWrite } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const stateOf: Record<DeviceSessionChanged['change'], string> = {
  registered: 'registered',
  updated: 'registered',
  deregistered: 'deregistered',
  expired: 'deregistered',
};

// A lower epoch than the stored one is a late report of a previous session owner. The end of an epoch is its last fact: another
// fact of it is that end again, or comes from a replica that stores its batch late. Of a device that is not registered the epoch
// has ended, also if a bootstrap has changed its state since. What has not changed is not written: most facts are updates of a
// registration.
// The rows are locked in the order of their ids, because other transactions lock several devices too: a join alone would lock them
// in the order of its plan, whatever the order of the facts.
const stateSql = `
  UPDATE registry.devices d SET state = s.state, session_epoch = s.epoch,
    endpoint_type = COALESCE(d.endpoint_type, s.endpoint_type)
  FROM (
    SELECT f.* FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS f (id, state, epoch, endpoint_type)
    JOIN registry.devices l ON l.id = f.id
    WHERE (l.session_epoch < f.epoch OR (l.session_epoch = f.epoch AND l.state = 'registered'))
      AND (l.state, l.session_epoch, l.endpoint_type) IS DISTINCT FROM
        (f.state, f.epoch, COALESCE(l.endpoint_type, f.endpoint_type))
    ORDER BY l.id FOR NO KEY UPDATE OF l) AS s
  WHERE d.id = s.id`;

/** Keeps the devices' state in step with their sessions. A batch may be repeated. */
@Injectable()
export class SessionWriter {
  readonly apply = sharedWrite((facts: readonly DeviceSessionChanged[]) => this.store(facts));

  constructor(private readonly database: DataSource) {}

  private async store(facts: readonly DeviceSessionChanged[]): Promise<void> {
    const last = lastOfDevices(facts, ({ epoch }) => epoch);
    const rows = last.map((f) => [f.deviceId, stateOf[f.change], f.epoch, f.endpointType ?? null]);
    await this.database.query(stateSql, columnsOf(rows));
  }
}
