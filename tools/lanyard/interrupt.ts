/**
 * Signals that ask a command to end. Ctrl-C comes from the terminal and from npm; when a terminal is closed, SIGHUP comes
 * from the shell, from the kernel and from `run.mjs`.
 */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Stops that an interrupt has begun: the last of them ends this process. */
let stopping = 0;

/**
 * Until the returned function is called, an interrupt of this command runs `stop` before it exits: what was started has a
 * session of its own, and nothing else ends it. Signals that follow the first have no effect.
 */
export const stopWhenInterrupted = (stop: () => Promise<unknown>) => {
  let isInterrupted = false;
  const interrupted = () => {
    if (isInterrupted) return;
    isInterrupted = true;
    stopping++;
    // Whatever the command has open breaks off now.
    process.on('uncaughtException', () => undefined);
    void stop().finally(() => {
      if (--stopping === 0) process.exit(130);
    });
  };
  for (const signal of signals) process.on(signal, interrupted);
  return () => {
    // `stop` may call this. Without a listener, the next signal would end it.
    if (!isInterrupted) for (const signal of signals) process.off(signal, interrupted);
  };
};

/**
 * Aborted by the first signal that asks this process to end. Later signals have no effect; by default, they would end
 * the process in the middle of its stop.
 */
export const interruption = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of signals) process.on(signal, () => controller.abort());
  return controller.signal;
};
