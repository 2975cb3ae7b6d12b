/** Largest package: a device that can store more has a download of its own. */
export const imageBytesMax = 67_108_864;

export const imagesPerAccountMax = 1_000;

/** Bytes of all packages of an account. */
export const accountBytesMaxDefault = 1_073_741_824;

/** Campaigns of an account that have not ended. */
export const openCampaignsMax = 100;

/** Devices that one campaign updates at the same time. */
export const concurrencyMax = 1_000;

export const campaignDevicesMax = 100_000;

/** A campaign ends at the latest after this time. */
export const campaignDaysMax = 90;

/** An upload without progress for this time was abandoned with its replica. */
export const uploadSilenceMs = 300_000;

/** How long a campaign is kept after its end, as long as the entries of its devices in the event log. */
export const retentionDaysDefault = 183;

/** How many devices of an old campaign one transaction deletes. */
export const retentionBatch = 5_000;
