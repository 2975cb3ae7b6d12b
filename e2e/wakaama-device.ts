import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepareWakaama } from '../tools/lanyard/foreign-programs.ts';
import type { PreSharedKey } from './compiled-device.ts';
import { ForeignDevice } from './java-device.ts';

const program = 'wakaama-device.mjs';

/** A device on Wakaama, over UDP, or with a key over DTLS (tinydtls). It updates its registration by itself, every 15 s. */
export class WakaamaDevice extends ForeignDevice {
  static async start(port: number, name: string, localPort: number, psk?: PreSharedKey): Promise<WakaamaDevice> {
    const args = [join(await prepareWakaama(), program), String(port), name, String(localPort)];
    if (psk) args.push(psk.identity, psk.key);
    return new WakaamaDevice(spawn(process.execPath, args, { stdio: 'pipe' }));
  }

  /** Ends without a signal, because its client process would outlive it. */
  override async ends(): Promise<void> {
    const { process: device } = this;
    if (device.exitCode !== null || device.signalCode !== null) return;
    const gone = new Promise((resolve) => device.once('exit', resolve));
    device.stdin?.end();
    await gone;
  }
}
