import { type DeviceEvent, InvalidKey, NoAnswer, NotAllowed, TailEnded } from '@lanyard/client/browser';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { connection } from './connection.ts';
import { lanyard } from './lanyard.ts';
import { useRefusal } from './permissions.ts';
import { queryClient } from './query-client.ts';
import { sessionKey } from './signed-in.ts';

export type LiveState = 'off' | 'connecting' | 'live' | 'interrupted' | 'ended';

interface Listener {
  onEvent: (event: DeviceEvent) => void;
  /** Entries between those before and those that follow are left out. */
  onGap: () => void;
}

/** The pause before an interrupted stream is opened again. */
const reopenMs = 2_000;

/** After a longer pause, the stream begins with new entries: a large fleet writes hundreds of megabytes in a night. */
const catchUpMaxMs = 60_000;

/** Timers stand still while the computer sleeps: if a check comes this late, it slept. */
const wakeCheckMs = 2_000;
const sleptMinMs = 20_000;

/** Thrown while a stream opens that would continue after a pause longer than `catchUpMaxMs`. */
class LongPause extends Error {}

/** Whether the stream would be refused again. Each refusal is in the audit. */
const isFinal = (error: unknown): boolean =>
  error instanceof TailEnded || error instanceof InvalidKey || error instanceof NotAllowed;

/** One stream of the device event log for the whole page, while a listener wants it and the page is visible. */
class LiveEvents {
  private readonly listeners = new Set<Listener>();
  private readonly watchers = new Set<() => void>();
  private lastId: string | undefined;
  private stream: AbortController | undefined;
  /** When the computer was last known to be awake. */
  private awakeAtMs = 0;
  /** When it was live for the last time. */
  private pausedAtMs = 0;
  private current: LiveState = 'off';

  constructor() {
    document.addEventListener('visibilitychange', () => this.follow());
    setInterval(() => this.checkWake(), wakeCheckMs);
  }

  readonly state = (): LiveState => this.current;

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    this.follow();
    return () => {
      this.listeners.delete(listener);
      this.follow();
    };
  }

  /** A browser has few connections to one server, so a hidden page gives up its own. */
  private follow(): void {
    const wanted = this.listeners.size > 0 && !document.hidden;
    if (wanted === (this.stream !== undefined)) return;
    this.stream?.abort();
    this.stream = wanted ? new AbortController() : undefined;
    if (this.listeners.size === 0) this.lastId = undefined;
    if (!this.stream) return this.enter('off');
    // The timers of a hidden page are slow, too.
    this.awakeAtMs = Date.now();
    void this.run(this.stream.signal);
  }

  /**
   * Nothing tells a page that its connection ended while the computer slept: the stream would only be silent for a while,
   * and an attempt to open it would wait for an answer until its time is up.
   */
  private checkWake(): void {
    const hasSlept = Date.now() - this.awakeAtMs > sleptMinMs;
    if (hasSlept && this.stream && this.current !== 'ended') {
      this.enter('interrupted');
      this.stream.abort();
      this.stream = undefined;
      this.follow();
    }
    this.awakeAtMs = Date.now();
  }

  private get hasLongPause(): boolean {
    return Date.now() - this.pausedAtMs > catchUpMaxMs;
  }

  private leaveOutLongPause(): void {
    if (this.lastId === undefined || !this.hasLongPause) return;
    this.lastId = undefined;
    for (const { onGap } of this.listeners) onGap();
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      try {
        this.enter('connecting');
        this.leaveOutLongPause();
        await this.deliver(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LongPause) continue;
        if (isFinal(error)) return this.end();
        this.interrupted(error);
        await new Promise((resolve) => setTimeout(resolve, reopenMs));
      }
  }

  private async deliver(signal: AbortSignal): Promise<void> {
    let continues = this.lastId !== undefined;
    const events = await lanyard.tail({
      ...(this.lastId !== undefined && { after: this.lastId }),
      signal,
      onOpen: () => {
        if (continues && this.hasLongPause) throw new LongPause();
        continues = true;
        this.enter('live');
      },
      onLost: (error) => this.interrupted(error),
    });
    for await (const event of events) {
      this.lastId = event.id;
      for (const { onEvent } of this.listeners) onEvent(event);
    }
  }

  /** The session has ended, or its permissions have changed: the page asks at once which of them it is. */
  private end(): void {
    this.enter('ended');
    void queryClient.invalidateQueries({ queryKey: sessionKey });
  }

  private interrupted(error: unknown): void {
    this.enter('interrupted');
    if (error instanceof NoAnswer) connection.doubt();
  }

  private enter(state: LiveState): void {
    if (this.current === state) return;
    if (this.current === 'live') this.pausedAtMs = this.awakeAtMs;
    this.current = state;
    for (const watcher of this.watchers) watcher();
  }
}

const liveEvents = new LiveEvents();

/**
 * Calls `onEvent` with each new entry of the device event log, and `onGap` where some are left out: a list that is read
 * again once the stream is live has them. Without the permission, it calls neither.
 */
export const useLiveEvents = (onEvent: Listener['onEvent'], onGap: Listener['onGap'] = () => undefined): LiveState => {
  const refusal = useRefusal('events.read');
  const handleEvent = useEffectEvent(onEvent);
  const handleGap = useEffectEvent(onGap);
  useEffect(() => {
    if (refusal !== undefined) return undefined;
    return liveEvents.listen({ onEvent: (event) => handleEvent(event), onGap: () => handleGap() });
  }, [refusal]);
  return useSyncExternalStore(liveEvents.watch, liveEvents.state);
};
