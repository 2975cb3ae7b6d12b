import { JavaDevice } from './java-device.ts';
import type { TlsFiles } from './tls-device.ts';

/** A device on Californium, over TCP or, with files, over TLS: a `ForeignLife`, and `not connected …`. */
export class CaliforniumDevice extends JavaDevice {
  static async start(port: number, name: string, files?: TlsFiles): Promise<CaliforniumDevice> {
    const shown = files ? [files.certificate, files.privateKey, files.serverCertificate] : [];
    return new CaliforniumDevice(await this.run('californium', 'CaliforniumDevice', [String(port), name, ...shown]));
  }
}
