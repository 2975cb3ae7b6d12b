import { isIP } from 'node:net';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key, both PEM. */
export interface Certified {
  certificate: string;
  privateKey: string;
}

export interface CertificateOptions {
  /** Default: from yesterday for ten years. */
  notBefore?: Date;
  notAfter?: Date;
  /** Host names and IPv4 addresses that it is valid for, beside the common name. */
  hosts?: readonly string[];
  /** URIs that it is valid for. */
  uris?: readonly string[];
  /** O of the subject: for Kubernetes, a group. */
  organization?: string;
  /** For an authority: how many issuers may stand between it and a certificate; default: any number. */
  pathLength?: number;
}

const dayMs = 86_400_000;
const ecdsaWithSha256 = '06082a8648ce3d040302';
const commonNameOid = '0603550403';
const organizationOid = '060355040a';
const basicConstraintsOid = '0603551d13';
const subjectAltNameOid = '0603551d11';

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const attribute = (oid: string, value: string): Buffer => der(0x31, sequence(hex(oid), der(0x0c, Buffer.from(value))));
const nameOf = (commonName: string, organization?: string): Buffer =>
  sequence(
    ...(organization === undefined ? [] : [attribute(organizationOid, organization)]),
    ...(commonName === '' ? [] : [attribute(commonNameOid, commonName)]),
  );

const time = (at: Date): Buffer => {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(digits));
};

/** The extension basicConstraints of an authority: CA:TRUE, critical. */
const authorityExtension = (pathLength?: number): Buffer => {
  const limit = pathLength === undefined ? [] : [der(0x02, Buffer.from([pathLength]))];
  const constraints = sequence(hex('0101ff'), ...limit);
  return der(0xa3, sequence(sequence(hex(basicConstraintsOid), hex('0101ff'), der(0x04, constraints))));
};

/** subjectAltName: dNSName or iPAddress, and uniformResourceIdentifier. */
const alternativeNames = ({ hosts = [], uris = [] }: CertificateOptions): Buffer[] => {
  const names = [
    ...hosts.map((host) =>
      isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
    ),
    ...uris.map((uri) => der(0x86, Buffer.from(uri))),
  ];
  if (names.length === 0) return [];
  return [der(0xa3, sequence(sequence(hex(subjectAltNameOid), der(0x04, sequence(...names)))))];
};

/** Adds no empty line after a full last line of base64, because that would make the text unreadable. */
const pemOf = (body: Buffer): string => {
  const lines = body.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};

interface Party {
  name: string;
  key: KeyObject;
}

const issue = (
  issuer: Party,
  subject: Party & { publicKey: KeyObject },
  { authority, notBefore, notAfter, organization, pathLength, ...names }: CertificateOptions & { authority: boolean },
): Certified => {
  const algorithm = sequence(hex(ecdsaWithSha256));
  const now = Date.now();
  const serial = randomBytes(12);
  serial[0] = 0x10 | (serial[0]! & 0x0f);
  const toBeSigned = sequence(
    der(0xa0, hex('020102')),
    der(0x02, serial),
    algorithm,
    nameOf(issuer.name),
    sequence(time(notBefore ?? new Date(now - dayMs)), time(notAfter ?? new Date(now + 3_650 * dayMs))),
    nameOf(subject.name, organization),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    ...(authority ? [authorityExtension(pathLength)] : alternativeNames(names)),
  );
  const signature = der(0x03, hex('00'), sign('sha256', toBeSigned, issuer.key));
  return {
    certificate: pemOf(sequence(toBeSigned, algorithm, signature)),
    privateKey: subject.key.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
};

const newParty = (name: string): Party & { publicKey: KeyObject } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { name, key: privateKey, publicKey };
};

/** A self-signed certificate. Without a name, its subject is empty. */
export const selfSigned = (commonName: string, options: CertificateOptions = {}): Certified => {
  const party = newParty(commonName);
  return issue(party, party, { ...options, authority: false });
};

export interface CertificateAuthority extends Certified {
  /** A certificate for the name, signed by this authority. */
  issue(commonName: string, options?: CertificateOptions): Certified;
  /** An issuer below this one. */
  intermediate(commonName: string, options?: CertificateOptions): CertificateAuthority;
  /** The text signed with the private key, in base64. */
  prove(text: string): string;
}

const authorityOf = (party: Party & { publicKey: KeyObject }, certified: Certified): CertificateAuthority => ({
  ...certified,
  issue: (name, options = {}) => issue(party, newParty(name), { ...options, authority: false }),
  intermediate: (name, options = {}) => {
    const below = newParty(name);
    return authorityOf(below, issue(party, below, { ...options, authority: true }));
  },
  prove: (text) => sign('sha256', Buffer.from(text), party.key).toString('base64'),
});

/** An issuer of certificates (ECDSA on P-256). `publicKey`: another one in its certificate. */
export const certificateAuthority = (
  commonName: string,
  options: CertificateOptions = {},
  publicKey?: KeyObject,
): CertificateAuthority => {
  const party = newParty(commonName);
  const subject = publicKey ? { ...party, publicKey } : party;
  return authorityOf(party, issue(party, subject, { ...options, authority: true }));
};
