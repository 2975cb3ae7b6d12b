import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from '@lanyard/service';
import type { Scheme } from '../transport/peer-address.js';

/** How often the files of a listener are read. */
export const renewalPeriodMs = 60_000;

/** PEM files of a listener. */
export interface CertificateFiles {
  certificateFile: string;
  privateKeyFile: string;
}

/** What they contain. */
export interface CertificateTexts {
  certificate: string;
  privateKey: string;
}

export const readCertificateFiles = ({ certificateFile, privateKeyFile }: CertificateFiles): CertificateTexts => ({
  certificate: readFileSync(certificateFile, 'utf8'),
  privateKey: readFileSync(privateKeyFile, 'utf8'),
});

export interface RenewalParts {
  scheme: Scheme;
  files: CertificateFiles;
  /** Throws when the files do not belong together; then the listener keeps what it has. */
  use: (texts: CertificateTexts) => void;
  logger: Logger;
}

/**
 * Lets a listener show a new certificate while it runs: cert-manager, and a changed Secret, replace the files. Connections that
 * exist stay; the next handshake gets the new certificate.
 */
export class CertificateRenewal {
  private current: CertificateTexts;

  constructor(private readonly parts: RenewalParts) {
    this.current = readCertificateFiles(parts.files);
  }

  get scheme(): Scheme {
    return this.parts.scheme;
  }

  /** Of the certificate that the listener shows, in seconds since 1970. */
  get expiresSeconds(): number {
    return Date.parse(new X509Certificate(this.current.certificate).validTo) / 1_000;
  }

  /** Reads the files, and uses what is new. Never rejects. */
  async look(): Promise<void> {
    const { files, logger, scheme, use } = this.parts;
    try {
      const [certificate, privateKey] = await Promise.all([
        readFile(files.certificateFile, 'utf8'),
        readFile(files.privateKeyFile, 'utf8'),
      ]);
      if (certificate === this.current.certificate && privateKey === this.current.privateKey) return;
      use({ certificate, privateKey });
      this.current = { certificate, privateKey };
      logger.info({ scheme, expires: new Date(this.expiresSeconds * 1_000) }, 'the listener shows a new certificate');
    } catch (err) {
      logger.error({ err, scheme, ...files }, 'new certificate not usable: the listener keeps the previous one');
    }
  }
}
