/**
 * Devices that one gateway may have. Each device may have two waiting requests, a command and an observation, and 1,000 requests
 * may wait for one address (`queuedPerPeerMax`).
 */
export const devicesBehindMax = 400;

/** Devices of one list that are admitted concurrently. */
export const admittedAtOnce = 16;

/** Pause before the next attempt to admit devices, when the registry or the infrastructure did not answer. */
export const admitRetryPauseMs = 5_000;

/** Pause before the next attempt to serve a device that connects by itself: another replica may have its registration. */
export const directDeviceRetryPauseMs = 60_000;

/** Devices of one list that have entries in the event log; a further entry says how many have none. */
export const entriesMax = 20;
