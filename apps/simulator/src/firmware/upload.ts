import { type BodyBlock, Code, type TimerWheel } from '@lanyard/coap';
import { type FirmwareFailure } from '../settings/firmware.js';
import { injectFailure, verifyPackage } from './download.js';
import { Pace } from './pace.js';
import { PackageCheck } from './package-check.js';

export interface UploadOptions {
  bytesPerSecond: number;
  failure: FirmwareFailure;
  timers: TimerWheel;
}

/** A package that the server pushes block by block. */
export class Upload {
  private readonly check = new PackageCheck();
  private readonly pace: Pace;

  constructor(private readonly options: UploadOptions) {
    this.pace = new Pace(options.bytesPerSecond, options.timers);
  }

  /** The response code, and the version once the package is complete. Rejects with DownloadFailed or PowerLost. */
  async takeBlock({ offset, more }: BodyBlock, payload: Buffer): Promise<{ code: number; version?: string }> {
    const { failure } = this.options;
    if (offset !== this.check.bytes) return { code: Code.RequestEntityIncomplete };
    this.check.add(payload);
    injectFailure(failure, more ? this.check.bytes : Infinity);
    await this.pace.waitFor(payload.length);
    if (more) return { code: Code.Continue };
    return { code: Code.Changed, version: verifyPackage(failure, this.check.verdict()) };
  }
}
