import { type Clock, CLOCK, CONFIG, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import type { KnownDevice } from '../commands/commands.js';
import { cacheAnswerMs } from '../sessions/limits.js';
import type { FreshValue } from '../sessions/notified-values.js';
import { type WakeUp, WakeUps } from '../sessions/wake-ups.js';
import { Sessions } from '../sessions/sessions.js';

type Answered = (value: FreshValue | undefined) => void;

/** Notified values that are fresh. The replica that has the session of a device has its values; the other replicas ask it. */
@Injectable()
export class CachedValues {
  private readonly questions = new Map<string, Answered>();

  constructor(
    private readonly sessions: Sessions,
    private readonly wakeUps: WakeUps,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: DeviceProxyConfig,
  ) {
    wakeUps.on('cached?', (wakeUp) => this.answer(wakeUp));
    wakeUps.on('cached', ({ question, value }) => this.questions.get(question)?.(value));
  }

  /** undefined: there is no fresh value, or its replica did not answer in time. */
  find({ session }: KnownDevice, path: string): Promise<FreshValue | undefined> {
    if (!session) return Promise.resolve(undefined);
    const { deviceId, epoch, owner } = session;
    if (owner === this.config.replicaId) return Promise.resolve(this.localValue(deviceId, epoch, path));
    return this.askOwner(owner, { deviceId, epoch, path });
  }

  private localValue(deviceId: string, epoch: number, path: string): FreshValue | undefined {
    const session = this.sessions.get(deviceId);
    return session?.epoch === epoch ? session.notified.get(path, this.clock.now()) : undefined;
  }

  private async askOwner(
    owner: string,
    wanted: { deviceId: string; epoch: number; path: string },
  ): Promise<FreshValue | undefined> {
    const question = newId();
    const answer = new Promise<FreshValue | undefined>((resolve) => this.questions.set(question, resolve));
    const timer = this.clock.after(cacheAnswerMs, () => this.questions.get(question)?.(undefined));
    try {
      await this.wakeUps.send(owner, { about: 'cached?', ...wanted, question, replyTo: this.config.replicaId });
      return await answer;
    } catch {
      // The caller can read the value from the device instead.
      return undefined;
    } finally {
      timer.cancel();
      this.questions.delete(question);
    }
  }

  private answer({ deviceId, epoch, path, question, replyTo }: Extract<WakeUp, { about: 'cached?' }>): void {
    const value = this.localValue(deviceId, epoch, path);
    // A lost message counts as no answer.
    void this.wakeUps.send(replyTo, { about: 'cached', question, ...(value && { value }) }).catch(() => undefined);
  }
}
