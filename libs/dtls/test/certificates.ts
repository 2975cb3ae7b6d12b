import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { type OwnCertificate } from '../src/index.js';

/** Just enough DER for an X.509 certificate on P-256. */
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const hex = (text: string) => Buffer.from(text, 'hex');

const ECDSA_WITH_SHA256 = sequence(hex('06082a8648ce3d040302'));
const VALIDITY = sequence(der(0x18, Buffer.from('20200101000000Z')), der(0x18, Buffer.from('20991231235959Z')));
const nameOf = (name: string) => sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from(name)))));

interface Issuer {
  name: string;
  key: KeyObject;
  chain: Buffer[];
}

const keyPair = (namedCurve = 'prime256v1') => generateKeyPairSync('ec', { namedCurve });

function certify(name: string, publicKey: KeyObject, issuer: { name: string; key: KeyObject }): Buffer {
  const toBeSigned = sequence(
    der(0xa0, hex('020102')),
    der(0x02, hex('1234')),
    ECDSA_WITH_SHA256,
    nameOf(issuer.name),
    VALIDITY,
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  return sequence(toBeSigned, ECDSA_WITH_SHA256, der(0x03, hex('00'), sign('sha256', toBeSigned, issuer.key)));
}

/** A root with an intermediate issuer, so that chains have two certificates. */
export function newIssuer(): Issuer & { root: X509Certificate } {
  const root = keyPair();
  const intermediate = keyPair();
  const rootParty = { name: 'root', key: root.privateKey };
  return {
    name: 'intermediate',
    key: intermediate.privateKey,
    chain: [certify('intermediate', intermediate.publicKey, rootParty)],
    root: new X509Certificate(certify('root', root.publicKey, rootParty)),
  };
}

export function issueCertificate(name: string, issuer: Issuer, namedCurve?: string): OwnCertificate {
  const { privateKey, publicKey } = keyPair(namedCurve);
  return { chain: [certify(name, publicKey, issuer), ...issuer.chain], privateKey };
}

/** Whether the first certificate names this, and the chain ends at the root. */
export const isIssuedBy = (chain: readonly X509Certificate[], root: X509Certificate): boolean =>
  chain.every((certificate, index) => certificate.verify((chain[index + 1] ?? root).publicKey));
