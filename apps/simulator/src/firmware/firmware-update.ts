import { type BodyBlock, Code } from '@lanyard/coap';
import { PowerLost } from './download.js';
import { type FirmwareHost } from './firmware-host.js';
import { PackageIntake, type PackageListener } from './package-intake.js';
import { DownloadFailed } from './sources.js';
import { type FirmwareView, Result, State } from './states.js';

const paths = ['/5/0/3', '/5/0/5'];

/** A package of one zero byte, or without bytes, means that there is none (LwM2M 1.1 core appendix E.6). */
const isNoPackage = ({ offset, more }: BodyBlock, payload: Buffer): boolean =>
  offset === 0 && !more && (payload.length === 0 || (payload.length === 1 && payload[0] === 0));

/** The Firmware Update object of a device (LwM2M 1.1 core appendix E.6): push, pull, and failures. */
export class FirmwareUpdate implements FirmwareView, PackageListener {
  version: string;
  state: State = State.idle;
  result: Result = Result.initial;
  uri = '';
  packageVersion = '';
  private readonly intake: PackageIntake;

  constructor(private readonly host: FirmwareHost) {
    this.version = host.settings.version;
    this.intake = new PackageIntake(host, this);
  }

  /** Takes a block of Package. @returns The response code. Rejects with PowerLost if the device does not answer. */
  async writePackage(block: BodyBlock, payload: Buffer): Promise<number> {
    if (isNoPackage(block, payload)) return this.reset();
    if (block.offset === 0) {
      if (this.intake.isPulling || this.state === State.updating) return Code.MethodNotAllowed;
      this.intake.expect();
      this.become(State.downloading, Result.initial);
    }
    return this.intake.takeBlock(block, payload);
  }

  /** Package URI: starts a download; an empty URI resets. @returns The response code. */
  writeUri(uri: string): number {
    if (uri === '') return this.reset();
    if (this.state === State.downloading || this.state === State.updating) return Code.MethodNotAllowed;
    this.uri = uri;
    this.become(State.downloading, Result.initial);
    this.intake.pull(uri);
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
    this.intake.abandon();
    this.become(State.idle, Result.cancelled);
    return Code.Changed;
  }

  /** Called when the device restarts: an incomplete download is lost. */
  restarted(): void {
    this.intake.abandon();
    if (this.state === State.downloading) this.state = State.idle;
  }

  arrived(version: string): void {
    this.intake.abandon();
    this.packageVersion = version;
    this.host.count('firmware-downloaded');
    this.become(State.downloaded, Result.initial);
  }

  failed(error: unknown): void {
    this.intake.abandon();
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
    this.intake.abandon();
    this.uri = '';
    this.packageVersion = '';
    this.become(State.idle, Result.initial);
    return Code.Changed;
  }

  private become(state: State, result: Result): void {
    this.state = state;
    this.result = result;
    this.host.changed(paths);
  }
}
