/** Largest value a device resource may take in one write, and the largest body of any call. */
export const bodyLimitBytes = 1_048_576;

/** Longer URLs are refused with 400. */
export const urlLengthMax = 4_096;

/** Request line and headers together. */
export const headBytesMax = 16_384;
