import { type DeviceSelectionRequested, DeviceSelections, selectionPageMax } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { type Clock, CLOCK, formatTimestamp, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** No device that exists when a selection begins is left out, even if a clock that dated its id or the selection is wrong. */
const clocksDifferMaxMs = 86_400_000;

/** The columns of a campaign that say which devices are its own. */
export interface Selectable {
  account_id: string;
  group_id: string | null;
  filter: string | null;
}

/** Asks the directory for the devices of campaigns, page by page (docs/adr/0028). */
@Injectable()
export class Selections {
  constructor(
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Requests the first page. Returns the new columns of the campaign, which make it ignore pages requested before. `now`: by the
   * clock of PostgreSQL, which decides when the directory has not answered for too long.
   */
  async begin(manager: EntityManager, campaign: Selectable, now: Date): Promise<Record<string, unknown>> {
    const selectionId = newId(this.clock.now());
    await this.request(manager, campaign, { selectionId, page: 0 });
    return {
      selection_id: selectionId,
      selection_page: 0,
      selection_complete: false,
      selection_asked_at: now,
      suspended_devices: [],
      resumed_devices: [],
    };
  }

  async request(
    manager: EntityManager,
    { account_id: accountId, group_id: groupId, filter }: Selectable,
    { selectionId, page, after }: Pick<DeviceSelectionRequested, 'selectionId' | 'page' | 'after'>,
  ): Promise<void> {
    const nowMs = this.clock.now();
    const request: DeviceSelectionRequested = {
      selectionId,
      accountId,
      ...(groupId !== null && { groupId }),
      ...(filter !== null && { filter }),
      page,
      ...(after !== undefined && { after }),
      // Ids are in the order of time, by the clocks of those that create devices, which may be ahead of this one.
      until: newId(nowMs + clocksDifferMaxMs),
      limit: selectionPageMax,
      requestedAt: formatTimestamp(nowMs),
    };
    await this.outbox.append(manager, DeviceSelections, request);
  }
}
