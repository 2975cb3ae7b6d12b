import { endsWithin } from '../ends-within.js';

export type Check = () => Promise<void> | void;

export interface Readiness {
  ready: boolean;
  /** Per check: `ok`, or why not. */
  checks: Record<string, string>;
}

const checkTimeoutMs = 2_000;

/** What must hold before this process should get work. */
export class Health {
  private readonly checks = new Map<string, Check>();
  private stopping = false;

  /** `check` throws or rejects when the thing is not usable. */
  add(name: string, check: Check): void {
    this.checks.set(name, check);
  }

  /** Not ready from now on: the process is stopping. */
  stop(): void {
    this.stopping = true;
  }

  async readiness(): Promise<Readiness> {
    const results = await Promise.all(
      [...this.checks].map(async ([name, check]): Promise<[string, string]> => {
        try {
          const isInTime = await endsWithin(checkTimeoutMs, Promise.resolve(check()));
          return [name, isInTime ? 'ok' : `no answer within ${checkTimeoutMs} ms`];
        } catch (error) {
          return [name, error instanceof Error ? error.message : String(error)];
        }
      }),
    );
    if (this.stopping) results.push(['process', 'stopping']);
    return { ready: results.every(([, result]) => result === 'ok'), checks: Object.fromEntries(results) };
  }
}
