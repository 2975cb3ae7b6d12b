/** Settings that both ends of a DTLS benchmark share: keys as hexadecimal text, certificates as PEM files in a folder. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnCertificate, PeerCredential } from '@lanyard/dtls';
import { certificateAuthority } from '@lanyard/testing';

export type Mode = 'psk' | 'ecdhe';

export const pskHex = '00112233445566778899aabbccddeeff';
export const identity = Buffer.from('urn:bench:device');
/** AES-128-CCM with a tag of eight bytes, as in LwM2M devices. */
export const suiteOf: Record<Mode, number> = { psk: 0xc0a8, ecdhe: 0xc0ae };

const pathOf = (folder: string, name: string) => join(folder, `${name}.pem`);
export const pemFiles = (folder: string) =>
  ['ca', 'server', 'server-key'].map((name) => pathOf(folder, name)) as [string, string, string];

export const writeCertificates = (folder: string) => {
  const authority = certificateAuthority('bench');
  writeFileSync(pathOf(folder, 'ca'), authority.certificate);
  for (const name of ['server', 'client']) {
    const { certificate, privateKey } = authority.issue(name);
    writeFileSync(pathOf(folder, name), certificate);
    writeFileSync(pathOf(folder, `${name}-key`), privateKey);
  }
};

export const readOwn = (folder: string, name: 'server' | 'client'): OwnCertificate => ({
  chain: [new X509Certificate(readFileSync(pathOf(folder, name))).raw],
  privateKey: createPrivateKey(readFileSync(pathOf(folder, `${name}-key`))),
});

/** Accepts certificates that the authority has signed, with one verification for each handshake, as OpenSSL does. */
export const signedByAuthority = (folder: string) => {
  const { publicKey } = new X509Certificate(readFileSync(pathOf(folder, 'ca')));
  return (credential: PeerCredential) => credential.kind === 'x509' && credential.chain[0]!.verify(publicKey);
};

/** Bytes of the datagrams of a handshake with a pre-shared key and of the close_notify after it, from the client and from the server. */
export const bareRequests = [103, 119, 116, 31] as const;
export const bareAnswers = [44, 121, 67, 31] as const;
