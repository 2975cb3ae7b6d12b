import { type AccessScope, fairPageOf, FairQueue, type ListEnvelope, type ListQuery } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { deviceStates } from '../machine/device-update.js';
import { CampaignsService } from './campaigns.service.js';
import { type CampaignDevice, deviceColumns, deviceRecord, deviceSource, type Progress } from './device-record.js';

/** How far a campaign is, in total and per device. */
@Injectable()
export class CampaignDevicesService {
  constructor(
    private readonly database: DataSource,
    private readonly campaigns: CampaignsService,
  ) {}

  async progress(scope: AccessScope, id: string): Promise<Progress> {
    const rows = await this.readWhole(scope, id, () =>
      FairQueue.at(this.database).run<{ state: string; n: number; complete: boolean }[]>(scope.accountId, () =>
        this.database.query(
          `SELECT d.state, count(d.device_id)::int AS n,
           c.selection_complete AND c.started_at IS NOT NULL OR c.state IN ('stopping', 'done', 'aborted') AS complete
         FROM campaigns.update_campaigns c LEFT JOIN campaigns.campaign_devices d ON d.campaign_id = c.id
         WHERE c.id = $1 GROUP BY d.state, c.id`,
          [id],
        ),
      ),
    );
    const counts = Object.fromEntries(
      deviceStates.map((state) => [state, rows.find((r) => r.state === state)?.n ?? 0]),
    );
    return {
      object: 'update-campaign-progress',
      campaign_id: id,
      devices: rows.reduce((sum, { n }) => sum + n, 0),
      ...(counts as Record<(typeof deviceStates)[number], number>),
      is_selection_complete: rows.some(({ complete }) => complete),
    };
  }

  async list(scope: AccessScope, id: string, query: ListQuery): Promise<ListEnvelope<CampaignDevice>> {
    const source = {
      selected: deviceRecord,
      from: deviceSource,
      columns: deviceColumns,
      where: 'true',
      parameters: [id],
    };
    return this.readWhole(scope, id, () => fairPageOf(this.database, scope.accountId, source, query));
  }

  /** Throws CampaignNotFound also when the campaign is being deleted meanwhile: a part of its devices may be gone. */
  private async readWhole<T>(scope: AccessScope, id: string, read: () => Promise<T>): Promise<T> {
    await this.campaigns.get(scope, id);
    const answer = await read();
    await this.campaigns.get(scope, id);
    return answer;
  }
}
