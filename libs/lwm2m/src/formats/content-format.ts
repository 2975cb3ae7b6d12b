/** CoAP Content-Formats of LwM2M (IANA registry; LwM2M 1.2.2 core §7.5; RFC 8790). */
export const contentFormat = {
  text: 0,
  linkFormat: 40,
  opaque: 42,
  json: 50,
  cbor: 60,
  senmlJson: 110,
  senmlCbor: 112,
  senmlEtchJson: 320,
  senmlEtchCbor: 322,
  tlv: 11_542,
  lwm2mJson: 11_543,
  lwm2mCbor: 11_544,
} as const;

const mediaTypes = new Map<number, string>([
  [contentFormat.text, 'text/plain'],
  [contentFormat.linkFormat, 'application/link-format'],
  [contentFormat.opaque, 'application/octet-stream'],
  [contentFormat.json, 'application/json'],
  [contentFormat.cbor, 'application/cbor'],
  [contentFormat.senmlJson, 'application/senml+json'],
  [contentFormat.senmlCbor, 'application/senml+cbor'],
  [contentFormat.senmlEtchJson, 'application/senml-etch+json'],
  [contentFormat.senmlEtchCbor, 'application/senml-etch+cbor'],
  [contentFormat.tlv, 'application/vnd.oma.lwm2m+tlv'],
  [contentFormat.lwm2mJson, 'application/vnd.oma.lwm2m+json'],
  [contentFormat.lwm2mCbor, 'application/vnd.oma.lwm2m+cbor'],
]);

/** Numbers from before LwM2M 1.0 that devices still use; 99 comes from Mbed Client. */
const oldNumbers = new Map<number, number>([
  [99, contentFormat.tlv],
  [1541, contentFormat.text],
  [1542, contentFormat.tlv],
  [1543, contentFormat.lwm2mJson],
  [1544, contentFormat.opaque],
]);

const numbers = new Map([...mediaTypes].map(([number, type]) => [type, number]));

/** The number in use today for an old one. */
export const currentFormat = (format: number): number => oldNumbers.get(format) ?? format;

/** `application/octet-stream` for a format without a known media type. */
export const mediaTypeOf = (format: number): string =>
  mediaTypes.get(currentFormat(format)) ?? 'application/octet-stream';

/** Parameters such as a charset are ignored. Undefined for a media type that devices do not use. */
export const contentFormatOf = (mediaType: string): number | undefined =>
  numbers.get((mediaType.split(';')[0] as string).trim().toLowerCase());
