/** Devices whose commands are stored at the same time: each takes a connection to PostgreSQL. */
export const devicesAtOnce = 4;

/** Further attempts after the first one, as for devices in queue mode. A campaign also repeats a whole update. */
export const campaignRetryMax = 2;
