import { spawn } from 'node:child_process';
import { prepareLibcoap as compileLibcoap } from '../tools/lanyard/foreign-programs.ts';
import { ForeignDevice } from './java-device.ts';

export const prepareLibcoap = (): Promise<string> => compileLibcoap(process.env['LIBCOAP_FLAGS']);

export interface PreSharedKey {
  identity: string;
  /** Hex. */
  key: string;
}

/** A device on libcoap, over TLS or DTLS with a key. */
export class LibcoapDevice extends ForeignDevice {
  static async start(
    transport: 'udp' | 'tcp' | 'tls' | 'dtls',
    port: number,
    name: string,
    psk?: PreSharedKey,
  ): Promise<LibcoapDevice> {
    const args = [transport, String(port), name, ...(psk ? [psk.identity, psk.key] : [])];
    return new LibcoapDevice(spawn(await prepareLibcoap(), args, { stdio: 'pipe' }));
  }
}
