const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Until the returned function is called, an interrupt of this command runs `stop` before it exits: what was started has a
 * session of its own, and nothing else ends it.
 */
export const stopWhenInterrupted = (stop: () => Promise<unknown>) => {
  const interrupted = () => {
    // Whatever the command has open breaks off now.
    process.on('uncaughtException', () => undefined);
    void stop().finally(() => process.exit(130));
  };
  for (const signal of signals) process.once(signal, interrupted);
  return () => {
    for (const signal of signals) process.off(signal, interrupted);
  };
};

/**
 * Aborted by the first signal that asks this process to end. Those that follow have no effect; by default, they would end
 * it in the middle of its stop. Ctrl-C comes from the terminal and from npm, and when a terminal is closed, SIGHUP comes
 * from the shell, from the kernel and from `run.mjs`.
 */
export const interruption = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of [...signals, 'SIGHUP'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
};
