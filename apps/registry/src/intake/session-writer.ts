import { DeviceLifecycle, type DeviceSessionChanged } from '@lanyard/contracts';
import type { Outbox } from '@lanyard/kafka';
import type { DataSource, EntityManager } from 'typeorm';
import { deviceRowColumns, type DeviceRow } from '../devices/lifecycle.js';
import type { NewDevices } from '../suspension/new-devices.js';

const stateOf: Record<DeviceSessionChanged['change'], string> = {
  bootstrapped: 'bootstrapped',
  registered: 'registered',
  updated: 'registered',
  deregistered: 'deregistered',
  expired: 'deregistered',
};

/** The last fact of each device in a batch: of the highest epoch, in the order told. */
export const lastFacts = (facts: readonly DeviceSessionChanged[]): DeviceSessionChanged[] => {
  const last = new Map<string, DeviceSessionChanged>();
  for (const fact of facts) if (fact.epoch >= (last.get(fact.deviceId)?.epoch ?? -1)) last.set(fact.deviceId, fact);
  return [...last.values()].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
};

// A lower epoch than the one known is an old owner's late word.
const stateSql = `
  UPDATE registry.devices d SET state = s.state, session_epoch = s.epoch,
    endpoint_type = COALESCE(d.endpoint_type, s.endpoint_type),
    bootstrapped_timestamp = CASE WHEN s.state = 'bootstrapped' THEN s.at ELSE d.bootstrapped_timestamp END
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::timestamptz[]) AS s (id, state, epoch, endpoint_type, at)
  WHERE d.id = s.id AND d.session_epoch <= s.epoch`;

/** Keeps the devices' state in step with their sessions. A batch may be repeated. */
export class SessionWriter {
  constructor(
    private readonly database: DataSource,
    private readonly newDevices: NewDevices,
    private readonly outbox: Outbox,
  ) {}

  async apply(facts: readonly DeviceSessionChanged[]): Promise<void> {
    for (const fact of facts) if (fact.change === 'registered' && fact.firstContact) await this.meet(fact);
    const last = lastFacts(facts);
    await this.database.query(stateSql, [
      last.map((f) => f.deviceId),
      last.map((f) => stateOf[f.change]),
      last.map((f) => f.epoch),
      last.map((f) => f.endpointType ?? null),
      last.map((f) => f.occurredAt),
    ]);
  }

  /** First contact of an endpoint that the account lets in by itself: the device is created with the id it was given. */
  private async meet(fact: DeviceSessionChanged): Promise<void> {
    await this.database.transaction(async (manager) => {
      const insert = async (): Promise<DeviceRow[]> =>
        (await manager.query(
          `INSERT INTO registry.devices (id, account_id, name, endpoint_name, endpoint_type) VALUES ($1, $2, $3, $3, $4)
           ON CONFLICT DO NOTHING RETURNING ${deviceRowColumns}`,
          [fact.deviceId, fact.accountId, fact.endpointName, fact.endpointType ?? null],
        )) as DeviceRow[];
      const created = await this.newDevices.create(manager, fact.accountId, insert);
      if (created.length === 0 && (await this.isTaken(manager, fact))) await this.refuse(manager, fact);
    });
  }

  private async isTaken(
    manager: EntityManager,
    { accountId, endpointName, deviceId }: DeviceSessionChanged,
  ): Promise<boolean> {
    const others = (await manager.query(
      'SELECT 1 FROM registry.devices WHERE account_id = $1 AND endpoint_name = $2 AND id <> $3',
      [accountId, endpointName, deviceId],
    )) as unknown[];
    return others.length > 0;
  }

  /** Somebody created the endpoint over the API meanwhile: the id of the first contact ends, the device comes again. */
  private async refuse(
    manager: EntityManager,
    { deviceId, accountId, endpointName, occurredAt }: DeviceSessionChanged,
  ): Promise<void> {
    await this.outbox.append(manager, DeviceLifecycle, {
      deviceId,
      accountId,
      change: 'deleted',
      endpointName,
      lifecycleStatus: 'enabled',
      revision: 0,
      changedAt: occurredAt,
    });
    await this.outbox.appendTombstone(manager, DeviceLifecycle, deviceId);
  }
}
