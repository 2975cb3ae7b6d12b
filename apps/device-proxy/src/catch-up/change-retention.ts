import { affected, BackgroundWork } from '@lanyard/service';
import { DataSource } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { changesSweepMs } from '../commands/limits.js';

/** Deleted in batches, without rows that are being written again. */
const forgottenAtOnce = 5_000;
const forgetSql = `
  DELETE FROM interest_changes WHERE device_id IN (
    SELECT device_id FROM interest_changes WHERE changed_at < now() - make_interval(secs => $1) ORDER BY changed_at
    LIMIT ${forgottenAtOnce} FOR UPDATE SKIP LOCKED)`;

/** Deletes old rows: otherwise every device whose subscriptions a request ever changed would keep its row, even when it is deleted. */
@Injectable()
export class ChangeRetention extends BackgroundWork {
  constructor(private readonly dataSource: DataSource) {
    super(changesSweepMs, 'old subscription changes not deleted: will be retried');
  }

  protected async step(): Promise<boolean> {
    return (await affected(this.dataSource, forgetSql, [changesSweepMs / 1_000])) === forgottenAtOnce;
  }
}
