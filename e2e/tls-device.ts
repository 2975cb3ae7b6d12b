import { JavaDevice } from './java-device.ts';

export interface TlsFiles {
  certificate: string;
  privateKey: string;
  serverCertificate: string;
}

/** Raw public keys without certificates (RFC 7250). */
export interface RawKeyFiles {
  publicKey: string;
  privateKey: string;
  serverPublicKey: string;
}

/** A device on java-coap over TLS: `registered C201_CREATED /rd/…`, `observed`, `written 5000`, `not connected …`. */
export class TlsDevice extends JavaDevice {
  static async start(port: number, name: string, files: TlsFiles): Promise<TlsDevice> {
    const { certificate, privateKey, serverCertificate } = files;
    const args = [String(port), name, certificate, privateKey, serverCertificate];
    return new TlsDevice(await this.run('java-coap', 'TlsDevice', args));
  }
}
