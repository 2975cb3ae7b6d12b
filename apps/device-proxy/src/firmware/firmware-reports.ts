import { DeviceEvents } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { AccountModels, contentFormatOf, decodeValues, Malformed, UnsupportedFormat } from '@lanyard/lwm2m';
import { type Clock, CLOCK, formatTimestamp, type Logger, LOGGER, newId } from '@lanyard/service';
import { DataSource } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import { withDevice } from '../db/device-lock.js';
import type { Session } from '../sessions/session.js';
import { eventOf, type Source, sources, nameFor } from './results.js';

interface Said {
  state: number | null;
  result: number | null;
}

interface Reported {
  path: string;
  payload: Buffer;
  /** Media type. */
  contentType: string;
}

/**
 * Results of firmware updates among the values that arrive, for the event log. A device says its last result again
 * whenever it is read or observed: only a change is an event, also over restarts of the device and of this service.
 */
@Injectable()
export class FirmwareReports {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly models: AccountModels,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Of a path that may tell of firmware. Rejects when the database is away: the value then counts as not arrived, and the device says it again. */
  async recordValue(session: Session, value: Reported): Promise<void> {
    const numbers = this.numbersIn(session, value);
    for (const source of sources) {
      const said = { state: numbers.get(source.statePath) ?? null, result: numbers.get(source.resultPath) ?? null };
      if (said.state !== null || said.result !== null) await this.recordReport(session, source, said);
    }
  }

  private numbersIn(
    { accountId, deviceId, data }: Session,
    { path, payload, contentType }: Reported,
  ): Map<string, number> {
    const format = contentFormatOf(contentType);
    try {
      const models = this.models.of(accountId, data.objectVersions);
      const values = format === undefined ? [] : decodeValues(format, payload, path, models);
      return new Map(values.map((value) => [value.path, Number(value.value)] as const).filter(([, n]) => isCode(n)));
    } catch (error) {
      if (!(error instanceof Malformed || error instanceof UnsupportedFormat)) throw error;
      this.logger.info({ err: error, deviceId, path }, 'firmware result not understood');
      return new Map();
    }
  }

  private async recordReport({ deviceId, accountId }: Session, source: Source, said: Said): Promise<void> {
    await withDevice(this.dataSource, deviceId, async (manager) => {
      const [before]: Said[] = await manager.query(
        `SELECT state, result FROM firmware_report WHERE device_id = $1 AND source = $2`,
        [deviceId, source.name],
      );
      const now = { state: said.state ?? before?.state ?? null, result: said.result ?? before?.result ?? null };
      if (before && now.state === before.state && now.result === before.result) return;
      await manager.query(
        `INSERT INTO firmware_report (device_id, source, state, result) VALUES ($1, $2, $3, $4)
         ON CONFLICT (device_id, source) DO UPDATE SET state = excluded.state, result = excluded.result`,
        [deviceId, source.name, now.state, now.result],
      );
      const event = now.result === null || now.result === before?.result ? undefined : eventOf(source.name, now.result);
      if (!event) return;
      const nowMs = this.clock.now();
      await this.outbox.append(manager, DeviceEvents, {
        ...event,
        eventId: newId(nowMs),
        deviceId,
        accountId,
        data: dataOf(source, now),
        occurredAt: formatTimestamp(nowMs),
      });
    });
  }
}

const isCode = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= 0xffff;

const dataOf = ({ name, resultPath }: Source, { state, result }: Said): Record<string, string> => ({
  resource_path: resultPath,
  ...(result !== null && { result: nameFor(name, 'result', result) }),
  ...(state !== null && { state: nameFor(name, 'state', state) }),
});
