import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../tools/lanyard/programs.ts';
import { root } from '../tools/lanyard/project.ts';
import { ForeignDevice } from './java-device.ts';

const source = join(root, 'e2e/interop');
const built = join(root, '.lanyard/interop');

/** `libcoap-device.c` compiled, with the flags of LIBCOAP_FLAGS; made once per version of both. */
export const prepareLibcoap = async (): Promise<string> => {
  const flags = (process.env['LIBCOAP_FLAGS'] ?? '-lcoap-3-openssl').split(' ');
  const program = join(source, 'libcoap-device.c');
  const hash = createHash('sha256').update(readFileSync(program)).update(flags.join(' ')).digest('hex').slice(0, 12);
  const target = join(built, `libcoap-device-${hash}`);
  if (existsSync(target)) return target;
  mkdirSync(built, { recursive: true });
  await runProgram('cc', ['-O1', '-Wall', '-Wextra', '-o', target, program, ...flags]);
  return target;
};

export interface PreSharedKey {
  identity: string;
  /** Hex. */
  key: string;
}

/** On libcoap, over TLS or DTLS with a key. */
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
