import { attentionCountMax, type AttentionItem } from '@lanyard/contracts';
import { CLOCK, type Clock, fairPageOf, isoTime, type ListEnvelope, type ListQuery } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How long before its end a certificate is listed. */
const aheadMs = 30 * 86_400_000;

interface Row {
  id: string;
  device_id: string | null;
  subject: string;
  since: string;
}

// Certificates of devices, and of authorities that the account trusts.
const certificates = `(
  SELECT id, account_id, device_id, subject, expires_at FROM registry.device_credentials WHERE expires_at IS NOT NULL
  UNION ALL
  SELECT id, account_id, NULL, subject, expires_at FROM registry.trusted_certificates WHERE status = 'ACTIVE') t`;

const itemOf = ({ id, device_id, subject, since }: Row, nowMs: number): AttentionItem => {
  const isOver = Date.parse(since) <= nowMs;
  const what = device_id === null ? 'trusted certificate' : 'device certificate';
  const then = device_id === null ? 'devices with certificates of this authority' : 'the device';
  return {
    object: 'attention-item',
    kind: 'expiring-certificates',
    id,
    device_id,
    key_id: null,
    since,
    text: `The ${what} ${subject} ${isOver ? 'expired' : 'expires'} at ${since}. ${isOver ? 'Since' : 'From'} then on ${then} cannot connect: add a new one.`,
  };
};

/** Certificates that expire in the next 30 days, or have expired. */
@Injectable()
export class ExpiringCertificates {
  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** In the order of ids, which is that of their creation. */
  async list(accountId: string, query: ListQuery): Promise<ListEnvelope<AttentionItem>> {
    const now = this.clock.now();
    const source = {
      selected: `t.id, t.device_id, t.subject, ${isoTime('t.expires_at')} AS since`,
      from: certificates,
      where: 't.account_id = $1 AND t.expires_at <= $2',
      parameters: [accountId, new Date(now + aheadMs).toISOString()],
      countMax: attentionCountMax,
    };
    const page = await fairPageOf<Row>(this.database, accountId, source, query);
    return { ...page, data: page.data.map((row) => itemOf(row, now)) };
  }
}
