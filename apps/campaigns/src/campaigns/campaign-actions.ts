import { type Identity, ValidationFailed } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WrongState } from '../errors.js';
import { Selections } from '../selection/selections.js';
import { endOf } from './campaign-fields.js';
import { type Campaign, type CampaignState, emptyForecast } from './campaign-record.js';
import { CampaignsService } from './campaigns.service.js';

const mustBe = ({ state }: Campaign, ...allowed: CampaignState[]): void => {
  if (!allowed.includes(state)) throw new WrongState(state, allowed);
};

/** By the clock of PostgreSQL, as the turns of campaigns: by a fast one of a replica, a campaign would start later. */
const timeOf = async (manager: EntityManager): Promise<Date> => {
  const [{ now }] = (await manager.query('SELECT now() AS now')) as [{ now: Date }];
  return now;
};

/** The actions of operators. Each changes the record of the campaign; the worker does the rest. */
@Injectable()
export class CampaignActions {
  constructor(
    private readonly campaigns: CampaignsService,
    private readonly selections: Selections,
  ) {}

  /** Selects the devices, and only counts what would happen to them. */
  dryRun(actor: Identity, id: string): Promise<Campaign> {
    return this.campaigns.transition(actor, 'SYS_593', id, async (campaign, manager) => {
      mustBe(campaign, 'draft');
      return { ...(await this.selections.begin(manager, campaign, await timeOf(manager))), dry_run: emptyForecast };
    });
  }

  /** The devices are selected when it begins to run. */
  start(actor: Identity, id: string): Promise<Campaign> {
    return this.campaigns.transition(actor, 'SYS_594', id, async (campaign, manager) => {
      mustBe(campaign, 'draft');
      const nowMs = (await timeOf(manager)).getTime();
      const startsMs = campaign.when === null ? nowMs : Date.parse(campaign.when);
      const endsAt = endOf(startsMs, campaign.ends_at);
      if (endsAt.getTime() <= Math.max(startsMs, nowMs))
        throw new ValidationFailed([{ name: 'ends_at', message: 'Must be after the start: change the draft first' }]);
      const scheduled = { state: 'scheduled', starts_at: new Date(startsMs), ends_at: endsAt, selection_id: null };
      // The pages of a dry run that is under way are not accepted any more.
      return campaign.dry_run?.state === 'running' ? { ...scheduled, dry_run: null } : scheduled;
    });
  }

  /** No further device starts its update. */
  pause(actor: Identity, id: string): Promise<Campaign> {
    return this.campaigns.transition(actor, 'SYS_595', id, async (campaign) => {
      mustBe(campaign, 'scheduled', 'running');
      return { state: 'paused', reason: null };
    });
  }

  /** A campaign that was paused before its start is scheduled again. */
  resume(actor: Identity, id: string): Promise<Campaign> {
    return this.campaigns.transition(actor, 'SYS_596', id, async (campaign) => {
      mustBe(campaign, 'paused');
      return { state: campaign.started_at === null ? 'scheduled' : 'running', reason: null };
    });
  }

  abort(actor: Identity, id: string): Promise<Campaign> {
    return this.campaigns.transition(actor, 'SYS_597', id, async (campaign) => {
      mustBe(campaign, 'scheduled', 'running', 'paused', 'stopping');
      return { state: 'stopping', reason: 'aborted' };
    });
  }
}
