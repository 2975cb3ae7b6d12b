/**
 * The largest body of a request, except on routes for uploads, which set a larger limit. So it also limits the value
 * that one write gives to a resource of a device.
 */
export const bodyLimitBytes = 1_048_576;

/**
 * Values in a JSON body, objects and arrays included. A schema names each value that is wrong, which takes hundreds of times
 * the memory of its text: half a million numbers where texts belong would end the process.
 */
export const jsonValuesMax = 50_000;

/** Longer URLs are refused with 400. */
export const urlLengthMax = 4_096;

/** Request line and headers together. */
export const headBytesMax = 16_384;
