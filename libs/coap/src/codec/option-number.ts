/** Option numbers of RFC 7252 §12.2, 7641, 7959 and 9175. Odd numbers are critical. */
export const OptionNumber = {
  UriHost: 3,
  ETag: 4,
  Observe: 6,
  UriPort: 7,
  LocationPath: 8,
  UriPath: 11,
  ContentFormat: 12,
  MaxAge: 14,
  UriQuery: 15,
  Accept: 17,
  LocationQuery: 20,
  Block2: 23,
  Block1: 27,
  Size2: 28,
  ProxyUri: 35,
  ProxyScheme: 39,
  Size1: 60,
  RequestTag: 292,
} as const;

/** Whether the option is critical: a receiver that does not know it must not process the message (RFC 7252 §5.4.1). */
export function isCritical(optionNumber: number): boolean {
  return (optionNumber & 1) === 1;
}
