/**
 * Devices that one gateway may have. Each may have two requests waiting, a command and an observation, and 1,000 may wait
 * for one address (`queuedPerPeerMax`).
 */
export const devicesBehindMax = 400;

export const admittedAtOnce = 16;

/** Pause before devices are admitted again that could not be, because the registry or the infrastructure did not answer. */
export const admitAgainMs = 5_000;

/** Pause before a device is looked at again that connects by itself: another replica may have its registration. */
export const lookAgainMs = 60_000;

/** Entries in the event log of one list. */
export const entriesMax = 20;
