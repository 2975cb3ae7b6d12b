import { NamedError } from '@lanyard/service';
import { type TimerWheel } from '@lanyard/coap';
import { type FirmwareFailure } from '../settings/firmware.js';
import { Pace } from './pace.js';
import { PackageCheck, type Verdict } from './package-check.js';
import { DownloadFailed, type PackageSource } from './sources.js';
import { Result } from './states.js';

/** How often an interrupted download is continued; each byte that arrives resets the count. */
const attemptsMax = 5;
const attemptMs = 2_000;

/** Failures in the middle of a download happen after this many bytes. */
const middleBytes = 4_096;

export interface DownloadOptions {
  bytesPerSecond: number;
  failure: FirmwareFailure;
  timers: TimerWheel;
  onProgress(bytes: number): void;
}

/** The device lost its power. */
export class PowerLost extends NamedError {}

/** Throws DownloadFailed or PowerLost if the device has a failure that is due after this many bytes of a package. */
export const injectFailure = (failure: FirmwareFailure, bytes: number): void => {
  if (failure === 'no-space') throw new DownloadFailed(Result.noSpace, 'no room for the package');
  if (bytes < middleBytes) return;
  if (failure === 'out-of-memory') throw new DownloadFailed(Result.outOfMemory, 'out of memory');
  if (failure === 'connection-lost') throw new DownloadFailed(Result.connectionLost, 'the network was lost');
  if (failure === 'dies') throw new PowerLost();
};

/** Checks a complete package. Throws DownloadFailed. @returns The version of the package. */
export const verifyPackage = (failure: FirmwareFailure, verdict: Verdict): string => {
  if (failure === 'unsupported-package')
    throw new DownloadFailed(Result.unsupportedPackage, 'the package is for other devices');
  if (failure === 'integrity' || !verdict.isIntact)
    throw new DownloadFailed(Result.integrity, 'the package is damaged');
  return verdict.version;
};

/** Downloads a package from a source, and continues where the connection broke. */
export class Download {
  private cancelled = false;
  private readonly check = new PackageCheck();

  constructor(
    private readonly source: PackageSource,
    private readonly options: DownloadOptions,
  ) {}

  /** Resolves with the version of the package. Rejects with DownloadFailed or PowerLost, also after `cancel`. */
  async run(): Promise<string> {
    try {
      await this.readAll();
      return verifyPackage(this.options.failure, this.check.verdict(this.source.sha256));
    } finally {
      await this.source.close().catch(() => undefined);
    }
  }

  cancel(): void {
    this.cancelled = true;
    void this.source.close().catch(() => undefined);
  }

  get isCancelled(): boolean {
    return this.cancelled;
  }

  private async readAll(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const before = this.check.bytes;
      try {
        await this.readRest();
        return;
      } catch (error) {
        if (this.cancelled || error instanceof DownloadFailed || error instanceof PowerLost) throw error;
        if (this.check.bytes > before) attempt = 0;
        if (attempt >= attemptsMax) throw new DownloadFailed(Result.connectionLost, String(error));
        await new Promise<void>((resolve) => this.options.timers.schedule(attemptMs * (attempt + 1), resolve));
      }
    }
  }

  /** Reads the bytes that have not arrived yet. */
  private async readRest(): Promise<void> {
    const { bytesPerSecond, failure, timers, onProgress } = this.options;
    const pace = new Pace(bytesPerSecond, timers);
    for await (const bytes of this.source.read(this.check.bytes)) {
      if (this.cancelled) throw new DownloadFailed(Result.cancelled, 'cancelled');
      this.check.add(bytes);
      onProgress(bytes.length);
      injectFailure(failure, this.check.bytes);
      await pace.waitFor(bytes.length);
    }
    // In a package that is too short to have a middle, the failure happens at its end.
    injectFailure(failure, Math.max(this.check.bytes, middleBytes));
  }
}
