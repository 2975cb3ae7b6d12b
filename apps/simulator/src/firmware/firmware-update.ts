import { type BodyBlock, Code, type TimerWheel } from '@lanyard/coap';
import { type FleetEvent } from '../counts/tally.js';
import { type FirmwareFailure, type FirmwareSettings } from '../settings/firmware.js';
import { Download, PowerLost } from './download.js';
import { DownloadFailed, type PackageSource } from './sources.js';
import { type FirmwareView, Result, State } from './states.js';
import { Upload } from './upload.js';

/** The device whose firmware it is. */
export interface FirmwareHost {
  readonly settings: FirmwareSettings;
  readonly timers: TimerWheel;
  /** Whether this device is one of those that fail. */
  readonly failure: FirmwareFailure;
  /** Throws DownloadFailed for a URI that is none, or of an unknown protocol. */
  sourceOf(uri: string): PackageSource;
  count(event: FleetEvent): void;
  changed(paths: readonly string[]): void;
  /** Stays awake, and counts what arrived. */
  onProgress(bytes: number): void;
  /** Disappears without a word, and comes back after a while; `never`: it does not. */
  powerOff(backInSeconds: number | 'never'): void;
}

const paths = ['/5/0/3', '/5/0/5'];

/** A package of one zero byte, or without bytes, means that there is none (LwM2M 1.1 core appendix E.6). */
const isNoPackage = ({ offset, more }: BodyBlock, payload: Buffer): boolean =>
  offset === 0 && !more && (payload.length === 0 || (payload.length === 1 && payload[0] === 0));

/** The Firmware Update object of a device (LwM2M 1.1 core appendix E.6): push and pull, and what goes wrong. */
export class FirmwareUpdate implements FirmwareView {
  version: string;
  state: State = State.idle;
  result: Result = Result.initial;
  uri = '';
  packageVersion = '';
  private download: Download | undefined;
  private upload: Upload | undefined;

  constructor(private readonly host: FirmwareHost) {
    this.version = host.settings.version;
  }

  /** A block of Package. @returns The response code. Rejects with PowerLost: no answer. */
  async writePackage(block: BodyBlock, payload: Buffer): Promise<number> {
    if (isNoPackage(block, payload)) return this.reset();
    if (block.offset === 0) {
      const isBusy = this.download !== undefined || this.state === State.updating;
      if (isBusy) return Code.MethodNotAllowed;
      this.upload = new Upload({ ...this.host.settings, failure: this.host.failure, timers: this.host.timers });
      this.become(State.downloading, Result.initial);
    }
    const { upload } = this;
    if (!upload) return Code.RequestEntityIncomplete;
    try {
      this.host.onProgress(payload.length);
      const { code, version } = await upload.take(block, payload);
      if (version !== undefined && this.upload === upload) this.downloaded(version);
      return code;
    } catch (error) {
      if (this.upload === upload) this.failed(error);
      if (error instanceof PowerLost) throw error;
      return codeOf(error, block);
    }
  }

  /** Package URI: downloads, or with an empty one resets. @returns The response code. */
  writeUri(uri: string): number {
    if (uri === '') return this.reset();
    if (this.state === State.downloading || this.state === State.updating) return Code.MethodNotAllowed;
    this.uri = uri;
    this.become(State.downloading, Result.initial);
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
      this.failed(error);
    }
    return Code.Changed;
  }

  /** @returns The response code. */
  update(): number {
    if (this.state !== State.downloaded) return Code.MethodNotAllowed;
    this.become(State.updating, Result.initial);
    const { settings, timers, failure } = this.host;
    if (failure === 'never-answers') this.host.powerOff('never');
    else timers.schedule(settings.installSeconds * 1_000, () => this.installed());
    return Code.Changed;
  }

  /** @returns The response code. */
  cancel(): number {
    if (this.state !== State.downloading && this.state !== State.downloaded) return Code.MethodNotAllowed;
    this.abandon();
    this.become(State.idle, Result.cancelled);
    return Code.Changed;
  }

  /** The device restarts: what it had not downloaded to the end is gone. */
  restarted(): void {
    this.abandon();
    if (this.state === State.downloading) this.state = State.idle;
  }

  private async follow(download: Download): Promise<void> {
    try {
      const version = await download.run();
      if (this.download === download) this.downloaded(version);
    } catch (error) {
      if (this.download === download) this.failed(error);
    }
  }

  private downloaded(version: string): void {
    this.abandon();
    this.packageVersion = version;
    this.host.count('firmware-downloaded');
    this.become(State.downloaded, Result.initial);
  }

  private failed(error: unknown): void {
    this.abandon();
    this.host.count('firmware-failed');
    if (error instanceof PowerLost) {
      this.state = State.idle;
      this.host.powerOff(this.host.settings.rebootSeconds);
    } else this.become(State.idle, error instanceof DownloadFailed ? error.result : Result.connectionLost);
  }

  private installed(): void {
    if (this.host.failure === 'update-failed') {
      this.host.count('firmware-failed');
      this.become(State.downloaded, Result.updateFailed);
      return;
    }
    this.version = this.packageVersion;
    this.uri = '';
    this.state = State.idle;
    this.result = Result.success;
    this.host.count('firmware-updated');
    this.host.powerOff(this.host.settings.rebootSeconds);
  }

  private reset(): number {
    if (this.state === State.updating) return Code.MethodNotAllowed;
    this.abandon();
    this.uri = '';
    this.packageVersion = '';
    this.become(State.idle, Result.initial);
    return Code.Changed;
  }

  private abandon(): void {
    this.download?.cancel();
    this.download = undefined;
    this.upload = undefined;
  }

  private become(state: State, result: Result): void {
    this.state = state;
    this.result = result;
    this.host.changed(paths);
  }
}

/** A package that is complete was taken, whatever is then found in it. */
const codeOf = (error: unknown, { more }: BodyBlock): number => {
  const result = error instanceof DownloadFailed ? error.result : undefined;
  if (result === Result.noSpace || result === Result.outOfMemory) return Code.RequestEntityTooLarge;
  return more ? Code.InternalServerError : Code.Changed;
};
