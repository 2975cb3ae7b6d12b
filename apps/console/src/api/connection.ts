import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

const probeMs = 2_000;
const probeTimeoutMs = 5_000;

/**
 * Requests the page itself: every gateway answers that without another service, and a proxy in front of it forwards the
 * path. It does not forward `/healthz` (docs/security.md).
 */
const gatewayAnswers = async (): Promise<boolean> => {
  try {
    const { ok } = await fetch(import.meta.env.BASE_URL, {
      cache: 'no-store',
      signal: AbortSignal.timeout(probeTimeoutMs),
    });
    return ok;
  } catch {
    return false;
  }
};

/**
 * Whether the gateway can be reached. A call without an answer starts probes. While nothing answers, queries pause;
 * once something does, everything is read again.
 */
class Connection {
  private lostAt: Date | undefined;
  private isProbing = false;
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly since = (): Date | undefined => this.lostAt;

  /** Called after a call without an answer. One failed call does not mean a lost connection: the next probe decides. */
  readonly doubt = (): void => {
    if (!this.isProbing) void this.probe();
  };

  private async probe(): Promise<void> {
    this.isProbing = true;
    while (!(await gatewayAnswers())) {
      this.set(this.lostAt ?? new Date());
      await new Promise((resolve) => setTimeout(resolve, probeMs));
    }
    this.isProbing = false;
    this.set(undefined);
  }

  private set(lostAt: Date | undefined): void {
    if (this.lostAt === lostAt) return;
    this.lostAt = lostAt;
    onlineManager.setOnline(lostAt === undefined);
    for (const listener of this.listeners) listener();
  }
}

export const connection = new Connection();

// The browser's own state is about networks, and is wrong for a gateway on the same machine.
onlineManager.setEventListener(() => {
  window.addEventListener('offline', connection.doubt);
  return () => window.removeEventListener('offline', connection.doubt);
});

/** Since when the gateway has not answered; undefined while it answers. */
export const useLostSince = (): Date | undefined => useSyncExternalStore(connection.subscribe, connection.since);
