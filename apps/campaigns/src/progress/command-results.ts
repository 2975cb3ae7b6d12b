import type { DeviceCommandFinished } from '@lanyard/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { UpdateEvent } from '../machine/device-update.js';
import { DeviceUpdates } from './device-updates.js';
import { eventOfResult } from './result-event.js';
import { lockedInOrder, selectUpdates, type UpdateRow } from './update-row.js';

/** Applies the results of commands to devices. The result of a command that is not pending is ignored. */
@Injectable()
export class CommandResults {
  constructor(
    private readonly database: DataSource,
    private readonly updates: DeviceUpdates,
  ) {}

  async apply(results: readonly DeviceCommandFinished[]): Promise<void> {
    if (results.length === 0) return;
    const events = new Map<string, UpdateEvent>(results.map((result) => [result.commandId, eventOfResult(result)]));
    await this.database.transaction(async (manager) => {
      const rows = (await manager.query(`${selectUpdates} WHERE d.command_id = ANY($1) ${lockedInOrder}`, [
        [...events.keys()],
      ])) as UpdateRow[];
      await this.updates.apply(manager, rows, (row) => events.get(row.command_id ?? ''));
    });
  }
}
