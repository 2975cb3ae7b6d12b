const checksMax = 10;

/**
 * Calls `act` once after `ms`, unless the timer that it returns is cleared. Timers stand still while the computer sleeps, so the
 * clock is checked as well; if that is set back, the number of checks counts.
 */
export const afterSilence = (ms: number, act: () => void): ReturnType<typeof setInterval> => {
  const endMs = Date.now() + ms;
  let checks = 0;
  const timer = setInterval(() => {
    if (++checks < checksMax && Date.now() < endMs) return;
    clearInterval(timer);
    act();
  }, ms / checksMax);
  return timer;
};
