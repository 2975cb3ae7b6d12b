import { type BodyBlock, Code } from '@lanyard/coap';
import { Download, PowerLost } from './download.js';
import { type FirmwareHost } from './firmware-host.js';
import { DownloadFailed } from './sources.js';
import { Result } from './states.js';
import { Upload } from './upload.js';

/** Is called once a package is complete or has failed. */
export interface PackageListener {
  arrived(version: string): void;
  failed(error: unknown): void;
}

/** Receives packages: pushed in blocks, or pulled from a URI; one at a time. */
export class PackageIntake {
  private download: Download | undefined;
  private upload: Upload | undefined;

  constructor(
    private readonly host: FirmwareHost,
    private readonly listener: PackageListener,
  ) {}

  get isPulling(): boolean {
    return this.download !== undefined;
  }

  /** Prepares for the first block of a package. */
  expect(): void {
    this.upload = new Upload({ ...this.host.settings, failure: this.host.failure, timers: this.host.timers });
  }

  /** @returns The response code. Rejects with PowerLost if the device does not answer. */
  async takeBlock(block: BodyBlock, payload: Buffer): Promise<number> {
    const { upload } = this;
    if (!upload) return Code.RequestEntityIncomplete;
    try {
      this.host.onProgress(payload.length);
      const { code, version } = await upload.takeBlock(block, payload);
      if (version !== undefined && this.upload === upload) this.listener.arrived(version);
      return code;
    } catch (error) {
      if (this.upload === upload) this.listener.failed(error);
      if (error instanceof PowerLost) throw error;
      return codeOf(error, block);
    }
  }

  pull(uri: string): void {
    try {
      const download = new Download(this.host.sourceOf(uri), {
        ...this.host.settings,
        failure: this.host.failure,
        timers: this.host.timers,
        onProgress: (bytes) => this.host.onProgress(bytes),
      });
      this.download = download;
      void this.follow(download);
    } catch (error) {
      this.listener.failed(error);
    }
  }

  abandon(): void {
    this.download?.cancel();
    this.download = undefined;
    this.upload = undefined;
  }

  private async follow(download: Download): Promise<void> {
    try {
      const version = await download.run();
      if (this.download === download) this.listener.arrived(version);
    } catch (error) {
      if (this.download === download) this.listener.failed(error);
    }
  }
}

/**
 * The response code for a package that has failed. Its last block is accepted, even if the package turns out to be
 * damaged: the device reports that in its result, not in the response.
 */
const codeOf = (error: unknown, { more }: BodyBlock): number => {
  const result = error instanceof DownloadFailed ? error.result : undefined;
  if (result === Result.noSpace || result === Result.outOfMemory) return Code.RequestEntityTooLarge;
  return more ? Code.InternalServerError : Code.Changed;
};
