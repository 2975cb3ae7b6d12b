const mediaTypes: Record<number, string> = {
  0: 'text/plain',
  40: 'application/link-format',
  42: 'application/octet-stream',
  60: 'application/cbor',
  110: 'application/senml+json',
  112: 'application/senml+cbor',
  11542: 'application/vnd.oma.lwm2m+tlv',
  11543: 'application/vnd.oma.lwm2m+json',
};
const formats = new Map(Object.entries(mediaTypes).map(([n, t]) => [t, Number(n)]));
export class InvalidPayload extends Error {}
export const mediaTypeOf = (format: number | undefined, _path: string): string =>
  mediaTypes[format ?? 0] ?? 'application/octet-stream';
export const formatOf = (type: string): number | undefined => formats.get(type.split(';')[0]!.trim().toLowerCase());
export const knownMediaType = (type: string | undefined): string | null =>
  type !== undefined && formatOf(type) !== undefined ? type : null;
export const readSend = (
  _format: number | undefined,
  payload: Buffer,
): { path: string; payload: Buffer; contentType: string }[] => {
  let bn = '';
  try {
    return (JSON.parse(payload.toString()) as any[]).map((r) => {
      bn = r.bn ?? bn;
      return { path: bn + (r.n ?? ''), payload: Buffer.from(String(r.v ?? r.vs ?? r.vb)), contentType: 'text/plain' };
    });
  } catch {
    throw new InvalidPayload('not SenML');
  }
};
