import type { X509Certificate } from 'node:crypto';

interface Element {
  tag: number;
  content: Buffer;
}

const integerTag = 0x02;
const extensionsTag = 0xa3;
const basicConstraintsOid = Buffer.from('551d13', 'hex');

/** The parts of a DER element. @throws RangeError for a length that is not DER */
const partsOf = (element: Element | undefined): Element[] => {
  const parts: Element[] = [];
  const bytes = element?.content ?? Buffer.alloc(0);
  for (let at = 0; at < bytes.length;) {
    const first = bytes.readUInt8(at + 1);
    const lengthBytes = first < 0x80 ? 0 : first - 0x80;
    const length = first < 0x80 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    const start = at + 2 + lengthBytes;
    parts.push({ tag: bytes.readUInt8(at), content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return parts;
};

/**
 * How many issuers may be between an authority and a device's certificate (pathLenConstraint, RFC 5280 §4.2.1.9), which Node does
 * not read. Infinity without a limit; 0 if the certificate is not DER.
 */
export const pathLengthOf = ({ raw }: Pick<X509Certificate, 'raw'>): number => {
  try {
    const [certificate] = partsOf({ tag: 0, content: raw });
    const [toBeSigned] = partsOf(certificate);
    const [extensions] = partsOf(partsOf(toBeSigned).find(({ tag }) => tag === extensionsTag));
    const constraints = partsOf(extensions)
      .map(partsOf)
      .find(([id]) => id?.content.equals(basicConstraintsOid));
    const [fields] = partsOf(constraints?.at(-1));
    const limit = partsOf(fields).find(({ tag }) => tag === integerTag);
    return limit ? limit.content.readUIntBE(0, limit.content.length) : Infinity;
  } catch {
    return 0;
  }
};
