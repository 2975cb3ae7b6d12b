import { DeviceEvents } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { AccountModels, contentFormatOf, decodeValues, Malformed, UnsupportedFormat } from '@lanyard/lwm2m';
import { type Clock, CLOCK, formatTimestamp, type Logger, LOGGER, newId } from '@lanyard/service';
import { DataSource, In } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import { locksMax, withDevice, withDevices } from '../db/device-lock.js';
import { RequestBatcher } from '../db/request-batcher.js';
import { withoutExcerpts } from '../events/without-excerpts.js';
import type { Session } from '../sessions/session.js';
import { FirmwareReport } from './firmware-report.entity.js';
import { eventOf, type Source, sources, nameFor } from './results.js';

/** The numbers that stand for the state and the result of an update; null: not reported. */
type Codes = Pick<FirmwareReport, 'state' | 'result'>;

interface ReportedValue {
  path: string;
  payload: Buffer;
  contentType: string;
}

/**
 * Detects results of firmware updates among values, for the event log. A device repeats its last result whenever it is
 * read or observed: only a change is an event, even across restarts of the device and of this service.
 */
@Injectable()
export class FirmwareReports {
  private readonly forgetting = new RequestBatcher((deviceIds: readonly string[]) => this.forgetAll(deviceIds), {
    batchMax: locksMax,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly models: AccountModels,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Records the value of a firmware path. Rejects if the database is down: the device then reports the value again. */
  async recordValue(session: Session, value: ReportedValue): Promise<void> {
    const numbers = this.numbersIn(session, value);
    for (const source of sources) {
      const codes = { state: numbers.get(source.statePath) ?? null, result: numbers.get(source.resultPath) ?? null };
      if (codes.state !== null || codes.result !== null) await this.recordReport(session, source, codes);
    }
  }

  /** The device was deleted. */
  forget(deviceId: string): Promise<void> {
    return this.forgetting.submit(deviceId);
  }

  private async forgetAll(deviceIds: readonly string[]): Promise<void[]> {
    await withDevices(this.dataSource, deviceIds, (manager) =>
      manager.delete(FirmwareReport, { deviceId: In([...deviceIds]) }),
    );
    return deviceIds.map(() => undefined);
  }

  private numbersIn(
    { accountId, deviceId, data }: Session,
    { path, payload, contentType }: ReportedValue,
  ): Map<string, number> {
    const format = contentFormatOf(contentType);
    try {
      const models = this.models.registryOf(accountId, data.objectVersions);
      const values = format === undefined ? [] : decodeValues(format, payload, path, models);
      return new Map(values.map((value) => [value.path, Number(value.value)] as const).filter(([, n]) => isCode(n)));
    } catch (error) {
      if (!(error instanceof Malformed || error instanceof UnsupportedFormat)) throw error;
      this.logger.info({ deviceId, path, why: withoutExcerpts(error.message) }, 'firmware result not understood');
      return new Map();
    }
  }

  private async recordReport({ deviceId, accountId }: Session, source: Source, codes: Codes): Promise<void> {
    await withDevice(this.dataSource, deviceId, async (manager) => {
      const key = { deviceId, source: source.name };
      const before = await manager.findOneBy(FirmwareReport, key);
      const now = { state: codes.state ?? before?.state ?? null, result: codes.result ?? before?.result ?? null };
      if (before && now.state === before.state && now.result === before.result) return;
      await manager.upsert(FirmwareReport, { ...key, ...now }, ['deviceId', 'source']);
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

const dataOf = ({ name, resultPath }: Source, { state, result }: Codes): Record<string, string> => ({
  resource_path: resultPath,
  ...(result !== null && { result: nameFor(name, 'result', result) }),
  ...(state !== null && { state: nameFor(name, 'state', state) }),
});
