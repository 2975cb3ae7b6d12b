export type Check = () => Promise<void> | void;

export interface Readiness {
  ready: boolean;
  /** Per check: `ok`, or why not. */
  checks: Record<string, string>;
}

const checkTimeoutMs = 2_000;

const withTimeout = async (check: Check): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${checkTimeoutMs} ms`)), checkTimeoutMs);
  });
  try {
    await Promise.race([check(), timeout]);
  } finally {
    clearTimeout(timer);
  }
};

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
          await withTimeout(check);
          return [name, 'ok'];
        } catch (error) {
          return [name, error instanceof Error ? error.message : String(error)];
        }
      }),
    );
    if (this.stopping) results.push(['process', 'stopping']);
    return { ready: results.every(([, result]) => result === 'ok'), checks: Object.fromEntries(results) };
  }
}
