import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certified, certificateAuthority } from '@lanyard/testing';
import type { Presented } from './clients.ts';
import type { Accepted } from './coaps-server.ts';

/** A text, because libcoap's programs accept no other keys. */
const key = Buffer.from('0123456789abcdef');
const identity = 'device-1';

const spkiOf = (publicKey: KeyObject): Buffer => publicKey.export({ type: 'spki', format: 'der' });
const pemOf = (publicKey: KeyObject): string => publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** The credentials that clients present to a `CoapsServer`, as files in a separate folder, and those that the server accepts. */
export class Credentials {
  private readonly folder = mkdtempSync(join(tmpdir(), 'lanyard-dtls-'));
  private readonly authority = certificateAuthority('Factory CA');
  private readonly rawKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

  readonly psk: Presented = { psk: { identity, key } };
  readonly wrongPsk: Presented = { psk: { identity, key: Buffer.from('fedcba9876543210') } };
  readonly certificate = this.certified('device', this.authority.issue('device'));
  readonly foreignCertificate = this.certified('foreign', certificateAuthority('Foreign CA').issue('device'));
  readonly rawPublicKey = this.rawFiles('raw', this.rawKey.privateKey);
  /** The public key that the server accepts, with a private key that does not belong to it. */
  readonly stolenPublicKey = this.rawFiles(
    'stolen',
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey,
  );

  /** Private and public key in one file, as libcoap requires. */
  readonly rawPublicKeyFile = this.file(
    'both.pem',
    `${this.rawKey.privateKey.export({ type: 'sec1', format: 'pem' }).toString()}${pemOf(this.rawKey.publicKey)}`,
  );

  get accepted(): Accepted {
    const own = this.authority.issue('localhost', { hosts: ['127.0.0.1'] });
    const issuer = new X509Certificate(this.authority.certificate).publicKey;
    const expected = spkiOf(this.rawKey.publicKey);
    return {
      keyOf: (given) => (given.toString() === identity ? key : undefined),
      certificate: {
        chain: [new X509Certificate(own.certificate).raw],
        privateKey: createPrivateKey(own.privateKey),
      },
      authenticate: (credential) =>
        (credential.kind === 'x509' && credential.chain[0]!.verify(issuer)) ||
        (credential.kind === 'raw-public-key' && credential.publicKey.equals(expected)),
    };
  }

  pathOf(name: string): string {
    return join(this.folder, name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private certified(name: string, { certificate, privateKey }: Certified): Presented {
    const files = {
      certificate: this.file(`${name}.crt`, certificate),
      privateKey: this.file(`${name}.key`, privateKey),
    };
    return { certificate: files };
  }

  private rawFiles(name: string, privateKey: KeyObject): Presented {
    return {
      rawPublicKey: {
        publicKey: this.file(`${name}.pub`, pemOf(this.rawKey.publicKey)),
        privateKey: this.file(`${name}.pem`, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
      },
    };
  }

  private file(name: string, content: string): string {
    const path = this.pathOf(name);
    writeFileSync(path, content);
    return path;
  }
}
