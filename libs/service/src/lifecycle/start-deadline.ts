const checkEveryMs = 100;

/** Aborts the start. The message tells operators why the service does not run. */
export class StartTimedOut extends Error {
  constructor(timeoutMs: number, waitsFor: readonly string[]) {
    const what = waitsFor.length === 0 ? 'none of Kafka, PostgreSQL and Redis' : waitsFor.join('; ');
    super(`Not started within ${timeoutMs / 1_000} s (START_TIMEOUT_MS). Waiting for: ${what}`);
    this.name = 'StartTimedOut';
  }
}

/** What the start of this process waits for, in the order in which it began to. */
const waits = new Set<{ what: string }>();
let migrating = 0;

/** Names what is waited for, for the message of a start that never ends. */
export const awaiting = async <T>(what: string, work: Promise<T>): Promise<T> => {
  const wait = { what };
  waits.add(wait);
  try {
    return await work;
  } finally {
    waits.delete(wait);
  }
};

/** Migrations may take long: they do not count towards the deadline. */
export const awaitingMigrations = async <T>(work: Promise<T>): Promise<T> => {
  migrating++;
  try {
    return await work;
  } finally {
    migrating--;
  }
};

/** Rejects with StartTimedOut when the start takes longer. */
export const startsWithin = async <T>(timeoutMs: number, starting: Promise<T>): Promise<T> => {
  let spentMs = 0;
  let checkedAtMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const nowMs = performance.now();
      if (migrating === 0) spentMs += nowMs - checkedAtMs;
      checkedAtMs = nowMs;
      if (spentMs > timeoutMs)
        reject(
          new StartTimedOut(
            timeoutMs,
            [...waits].map(({ what }) => what),
          ),
        );
    }, checkEveryMs);
  });
  try {
    return await Promise.race([starting, tooLate]);
  } finally {
    clearInterval(timer);
  }
};
