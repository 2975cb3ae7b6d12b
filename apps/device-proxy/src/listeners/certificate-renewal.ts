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

/** The contents of the files. */
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
  /** Throws, for example, when the certificate is not that of the key; the listener then keeps its previous one. */
  use: (texts: CertificateTexts) => void;
  logger: Logger;
}

/**
 * Lets a listener present a new certificate while it runs, because cert-manager, or a changed Secret, replaces the files. Existing
 * connections stay; the next handshake gets the new certificate.
 */
export class CertificateRenewal {
  private current: CertificateTexts;

  constructor(private readonly parts: RenewalParts) {
    this.current = readCertificateFiles(parts.files);
  }

  get scheme(): Scheme {
    return this.parts.scheme;
  }

  /** When the certificate that the listener presents expires, in seconds since 1970. */
  get expiresSeconds(): number {
    return Date.parse(new X509Certificate(this.current.certificate).validTo) / 1_000;
  }

  /** Reads the files, and uses them if they changed. Never rejects. */
  async reloadIfChanged(): Promise<void> {
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
