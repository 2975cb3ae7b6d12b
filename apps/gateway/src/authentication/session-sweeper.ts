import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { Sessions } from './sessions.js';

const periodMs = 10 * 60_000;

/** Removes ended sessions from the table. Runs on every replica; repeats do nothing. */
@Injectable()
export class SessionSweeper extends BackgroundWork {
  constructor(private readonly sessions: Sessions) {
    super(periodMs, 'ended sessions not deleted: will be retried');
  }

  protected step(): Promise<void> {
    return this.sessions.deleteEnded();
  }
}
