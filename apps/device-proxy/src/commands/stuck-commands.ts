import { attentionCountMax, type AttentionItem } from '@lanyard/contracts';
import { CLOCK, type Clock, fairPageOf, isoTime, type ListEnvelope, type ListQuery } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { stuckAfterMs } from './limits.js';

interface Row {
  id: string;
  device_id: string;
  key_id: string;
  method: string;
  path: string;
  attempts: number;
  since: string;
  expires: string;
}

const selected = `t.id, t.device_id, t.key_id, t.method, t.path, t.attempts, ${isoTime('t.accepted_at')} AS since,
  ${isoTime('t.expires_at')} AS expires`;

const itemOf = ({ id, device_id, key_id, method, path, attempts, since, expires }: Row): AttentionItem => ({
  object: 'attention-item',
  kind: 'stuck-commands',
  id,
  device_id,
  key_id,
  since,
  text:
    attempts === 0
      ? `${method} ${path} has not been sent: the device is not registered, is asleep, or has commands before it. It expires at ${expires}.`
      : `${method} ${path} was sent ${attempts === 1 ? 'once' : `${attempts} times`} without an answer. It expires at ${expires}.`,
});

/** Commands that have not ended an hour after they were accepted. */
@Injectable()
export class StuckCommands {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** In the order of acceptance. */
  async list(accountId: string, query: ListQuery): Promise<ListEnvelope<AttentionItem>> {
    const source = {
      selected,
      from: 'commands t',
      where: `t.account_id = $1 AND t.state IN ('waiting', 'executing') AND t.accepted_at < $2`,
      parameters: [accountId, new Date(this.clock.now() - stuckAfterMs)],
      countMax: attentionCountMax,
    };
    const page = await fairPageOf<Row>(this.dataSource, accountId, source, query);
    return { ...page, data: page.data.map(itemOf) };
  }
}
