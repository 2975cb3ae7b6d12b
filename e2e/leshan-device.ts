import { join } from 'node:path';
import { root } from '../tools/lanyard/project.ts';
import type { PreSharedKey } from './compiled-device.ts';
import { JavaDevice } from './java-device.ts';
import type { RawKeyFiles, TlsFiles } from './tls-device.ts';

/** The definition of object 33010: a resource of every type. */
export const specimenDefinition = join(root, 'e2e/leshan/specimen.xml');

export interface LeshanOptions {
  lifetimeSeconds?: number;
  queueMode?: boolean;
  /** It has an account of a bootstrap server, and none of an LwM2M server. */
  bootstrap?: boolean;
  /** Content-Format numbers; the first is its default. By default, all that Leshan supports. */
  formats?: readonly number[];
  /** It has an instance of object 33010. */
  specimen?: boolean;
  /** Over `coaps:`. */
  psk?: PreSharedKey;
  x509?: TlsFiles;
  raw?: RawKeyFiles;
}

/**
 * A thermometer on Eclipse Leshan's client library. It prints `registered rd/…`, `refused FORBIDDEN(403)`,
 * `written 5750 …`, …; `leshan/LeshanDevice.java` lists its commands.
 */
export class LeshanDevice extends JavaDevice {
  static async start(
    server: string,
    name: string,
    {
      lifetimeSeconds = 60,
      queueMode = false,
      bootstrap = false,
      formats = [],
      specimen = false,
      psk,
      x509,
      raw,
    }: LeshanOptions = {},
  ): Promise<LeshanDevice> {
    const args = [server, name, String(lifetimeSeconds)];
    if (queueMode) args.push('queue');
    if (bootstrap) args.push('bootstrap');
    if (formats.length > 0) args.push(`formats=${formats.join(',')}`);
    if (specimen) args.push(`specimen=${specimenDefinition}`);
    if (psk) args.push(`psk=${psk.identity},${psk.key}`);
    if (x509) args.push(`x509=${x509.certificate},${x509.privateKey},${x509.serverCertificate}`);
    if (raw) args.push(`raw=${raw.publicKey},${raw.privateKey},${raw.serverPublicKey}`);
    return new LeshanDevice(await this.run('leshan', 'LeshanDevice', args));
  }
}
