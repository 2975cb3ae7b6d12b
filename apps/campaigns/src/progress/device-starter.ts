import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeviceUpdates } from './device-updates.js';
import { lockedInOrder, selectUpdates, type UpdateRow } from './update-row.js';

const startsAtOnce = 200;

/**
 * Registered devices that are awake and in no other update. A device behind a gateway is awake when the gateway is: the gateway's
 * registration updates are not the device's own. Locked devices belong to another transaction.
 */
const candidatesSql = `
  SELECT d.device_id FROM campaigns.campaign_devices d
  JOIN campaigns.device_sessions s ON s.device_id = d.device_id
  LEFT JOIN campaigns.device_sessions g ON g.device_id = s.host_gateway
  WHERE d.campaign_id = $1 AND d.state = 'waiting' AND (d.due_at IS NULL OR d.due_at <= now())
    AND s.registered AND (NOT s.queue_mode OR greatest(s.awake_until, g.awake_until) > now())
    AND NOT EXISTS (SELECT 1 FROM campaigns.campaign_devices o WHERE o.device_id = d.device_id AND o.state = 'updating')
  ORDER BY d.device_id LIMIT $2 FOR UPDATE OF d SKIP LOCKED`;

/** Starts the updates of devices that can be reached now. */
@Injectable()
export class DeviceStarter {
  constructor(private readonly updates: DeviceUpdates) {}

  /**
   * Starts at most `room` devices. Returns whether more may start as soon as there is room. Rejects with a unique
   * violation if another campaign has started the update of one of them meanwhile.
   */
  async start(manager: EntityManager, campaignId: string, room: number): Promise<boolean> {
    if (room <= 0) return true;
    const limit = Math.min(room, startsAtOnce);
    const candidates = (await manager.query(candidatesSql, [campaignId, limit])) as { device_id: string }[];
    if (candidates.length === 0) return false;
    const ids = candidates.map(({ device_id: id }) => id);
    const rows = (await manager.query(
      `${selectUpdates} WHERE d.campaign_id = $1 AND d.device_id = ANY($2) ${lockedInOrder}`,
      [campaignId, ids],
    )) as UpdateRow[];
    await this.updates.apply(manager, rows, () => ({ kind: 'started' }));
    return rows.length === limit;
  }
}
