import { type EndpointCore } from '../core/core.js';

const LOOK_AGAIN_MS = 100;

/** Resolves when nothing is in flight any more, at the latest after `closeTimeoutMs`. */
export async function drained(core: EndpointCore): Promise<void> {
  const deadline = core.clock.nowMs() + core.limits.closeTimeoutMs;
  while (isBusy(core) && core.clock.nowMs() < deadline) {
    await new Promise<void>((resolve) => core.timers.schedule(LOOK_AGAIN_MS, resolve));
  }
}

function isBusy({ inFlight, peers }: EndpointCore): boolean {
  if (inFlight.count('request') + inFlight.count('notification') > 0) return true;
  for (const state of peers.all()) if (state.queue.busy || state.transmissions.length > 0) return true;
  return false;
}
