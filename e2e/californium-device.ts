import type { PreSharedKey } from './compiled-device.ts';
import { JavaDevice } from './java-device.ts';
import type { RawKeyFiles, TlsFiles } from './tls-device.ts';

/** Over plain TCP, there is no credential. */
export type CaliforniumCredential = { files: TlsFiles } | { psk: PreSharedKey } | { raw: RawKeyFiles } | undefined;

const argumentsOf = (credential: CaliforniumCredential): string[] => {
  if (credential === undefined) return [];
  if ('psk' in credential) return [credential.psk.identity, credential.psk.key];
  if ('raw' in credential) return [credential.raw.publicKey, credential.raw.privateKey];
  const { certificate, privateKey, serverCertificate } = credential.files;
  return [certificate, privateKey, serverCertificate];
};

/** A device on Californium: a `ForeignLife`, and `not connected …`. Over DTLS it has a connection id. */
export class CaliforniumDevice extends JavaDevice {
  static async start(
    transport: 'tcp' | 'tls' | 'dtls',
    port: number,
    name: string,
    credential?: CaliforniumCredential,
  ): Promise<CaliforniumDevice> {
    const kind = credential && 'raw' in credential ? `${transport}-raw` : transport;
    const args = [kind, String(port), name, ...argumentsOf(credential)];
    return new CaliforniumDevice(await this.run('californium', 'CaliforniumDevice', args));
  }
}
