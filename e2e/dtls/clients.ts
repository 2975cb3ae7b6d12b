import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareNodeDtls, preparePion } from '../../tools/lanyard/foreign-programs.ts';
import type { Target } from './coaps-server.ts';
import { type ForeignLine, lengths, ProgramLine, sizes } from './line.ts';

/** The credentials that a client presents. Files are PEM. */
export interface Presented {
  psk?: { identity: string; key: Buffer };
  certificate?: { certificate: string; privateKey: string };
  rawPublicKey?: { publicKey: string; privateKey: string };
  /** OpenSSL only: the file of a session that is stored, or resumed. */
  keeps?: string;
  resumes?: string;
}

/** Cipher suites of `CipherSuite` in libs/dtls, by name. */
export const suites = {
  pskCcm8: 'TLS_PSK_WITH_AES_128_CCM_8',
  pskCbc: 'TLS_PSK_WITH_AES_128_CBC_SHA256',
  ecdheCcm8: 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8',
  ecdheGcm: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
} as const;

export type Suite = keyof typeof suites;

/** Connects, offering one cipher suite. */
export type Connect = (to: Target, suite: Suite, presented: Presented) => Promise<ForeignLine>;

const opensslNames: Record<Suite, string> = {
  pskCcm8: 'PSK-AES128-CCM8',
  pskCbc: 'PSK-AES128-CBC-SHA256',
  ecdheCcm8: 'ECDHE-ECDSA-AES128-CCM8',
  ecdheGcm: 'ECDHE-ECDSA-AES128-GCM-SHA256',
};

export const openssl: Connect = async ({ port, sent }, suite, { psk, certificate, keeps, resumes }) => {
  const args = ['s_client', '-dtls1_2', '-quiet', '-no_ign_eof', '-nocommands', '-connect', `127.0.0.1:${port}`];
  // The security level of OpenSSL 3 excludes tags of 8 bytes.
  args.push('-cipher', `${opensslNames[suite]}:@SECLEVEL=0`);
  if (psk) args.push('-psk_identity', psk.identity, '-psk', psk.key.toString('hex'));
  if (certificate) args.push('-cert', certificate.certificate, '-key', certificate.privateKey);
  if (keeps !== undefined) args.push('-sess_out', keeps);
  if (resumes !== undefined) args.push('-sess_in', resumes);
  return new ProgramLine('openssl', args, sizes(sent));
};

const gnutlsNames: Record<Suite, string> = {
  pskCcm8: '+PSK:+AES-128-CCM-8',
  pskCbc: '+PSK:+AES-128-CBC:+SHA256',
  ecdheCcm8: '+ECDHE-ECDSA:+AES-128-CCM-8',
  ecdheGcm: '+ECDHE-ECDSA:+AES-128-GCM',
};

export const gnutls: Connect = async ({ port, sent }, suite, { psk, certificate, rawPublicKey }) => {
  const types = rawPublicKey ? ':-CTYPE-ALL:+CTYPE-CLI-RAWPK:+CTYPE-SRV-RAWPK' : '';
  const priority = `NORMAL:-VERS-ALL:+VERS-DTLS1.2:-KX-ALL:-CIPHER-ALL:-MAC-ALL:+AEAD:${gnutlsNames[suite]}${types}`;
  const args = ['--udp', '--insecure', '--logfile', '/dev/null', '--port', String(port), '--priority', priority];
  if (psk) args.push('--pskusername', psk.identity, '--pskkey', psk.key.toString('hex'));
  if (certificate) args.push('--x509certfile', certificate.certificate, '--x509keyfile', certificate.privateKey);
  if (rawPublicKey) args.push('--rawpkfile', rawPublicKey.publicKey, '--rawpkkeyfile', rawPublicKey.privateKey);
  return new ProgramLine('gnutls-cli', [...args, '127.0.0.1'], sizes(sent));
};

/** @param ownId Length of the client's connection id; with 0, only the server has one. */
export const pion =
  (ownId: number): Connect =>
  async ({ port }, suite, { psk, certificate }) => {
    const args = [`-port=${port}`, `-suite=${suites[suite]}`, `-own-id=${ownId}`];
    if (psk) args.push(`-identity=${psk.identity}`, `-key=${psk.key.toString('hex')}`);
    if (certificate) args.push(`-certificate=${certificate.certificate}`, `-private-key=${certificate.privateKey}`);
    return new ProgramLine(await preparePion(), args, lengths);
  };

/** It does not retransmit: this is how long it waits for the end of the handshake. */
const nodeDtlsMs = 10_000;

/** The part of the package that is used. */
interface NodeDtlsSocket {
  on(event: 'connected' | 'error' | 'close', run: () => void): this;
  on(event: 'message', run: (message: Buffer) => void): this;
  send(message: Buffer): void;
  close(): void;
}

interface NodeDtls {
  dtls: { createSocket(options: object): NodeDtlsSocket };
}

export const nodeDtls: Connect = async ({ port }, suite, { psk }) => {
  const entry = join(await prepareNodeDtls(), 'node_modules/node-dtls-client/build/dtls.js');
  const { dtls } = (await import(pathToFileURL(entry).href)) as NodeDtls;
  const waiting: Buffer[] = [];
  let state: 'connecting' | 'open' | 'over' = 'connecting';
  const socket = dtls.createSocket({
    type: 'udp4',
    address: '127.0.0.1',
    port,
    psk: { [psk?.identity ?? '']: psk?.key ?? '' },
    ciphers: [suites[suite]],
    timeout: nodeDtlsMs,
  });
  const over = new Promise<void>((resolve) => {
    // Closing it twice throws. The test learns at the server why it failed.
    const end = () => {
      state = 'over';
      resolve();
    };
    socket.on('error', end);
    socket.on('close', end);
  });
  const line: ForeignLine = {
    onDatagram: () => undefined,
    send: (datagram) => {
      if (state === 'open') socket.send(datagram);
      else waiting.push(datagram);
    },
    close: () => {
      if (state === 'open') socket.close();
      return over;
    },
  };
  socket.on('connected', () => {
    state = 'open';
    for (const datagram of waiting.splice(0)) socket.send(datagram);
  });
  socket.on('message', (message) => line.onDatagram(message));
  return line;
};
