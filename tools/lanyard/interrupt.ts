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
