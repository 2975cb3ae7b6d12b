import { type BodyBlock, Code } from '@lanyard/coap';
import { PowerLost } from './download.js';
import { type FirmwareHost } from './firmware-host.js';
import { PackageIntake, type PackageListener } from './package-intake.js';
import { DownloadFailed } from './sources.js';
import { Result } from './states.js';

/** `/9/0/7` (OMA LWM2M Software Management 1.0). */
export const SoftwareState = { initial: 0, downloading: 1, downloaded: 2, delivered: 3, installed: 4 } as const;
export type SoftwareState = (typeof SoftwareState)[keyof typeof SoftwareState];

/** `/9/0/9`, unless it is one of `failures`. */
const results = { initial: 0, downloading: 1, installed: 2, verified: 3 } as const;

const installationFailed = 58;

/** `/9/0/9` for each failure of a download. */
const failures: Partial<Record<Result, number>> = {
  [Result.noSpace]: 50,
  [Result.outOfMemory]: 51,
  [Result.connectionLost]: 52,
  [Result.integrity]: 53,
  [Result.unsupportedPackage]: 54,
  [Result.invalidUri]: 56,
  [Result.unsupportedProtocol]: 56,
};

/** Resources whose values change with the state. */
const resources = [0, 1, 7, 9, 12];

/** One instance of object 9: a package that is delivered, installed, activated, deactivated and uninstalled. */
export class SoftwareManagement implements PackageListener {
  state: SoftwareState = SoftwareState.initial;
  result: number = results.initial;
  isActive = false;
  version = '';
  private readonly intake: PackageIntake;
  private readonly paths: readonly string[];

  constructor(
    private readonly host: FirmwareHost,
    instance: number,
  ) {
    this.intake = new PackageIntake(host, this);
    this.paths = resources.map((resource) => `/9/${instance}/${resource}`);
  }

  /** Takes a block of Package. @returns The response code. Rejects with PowerLost if the device does not answer. */
  async writePackage(block: BodyBlock, payload: Buffer): Promise<number> {
    if (block.offset === 0) {
      // A push that broke off begins again at its first block (RFC 7959 §2.5).
      const isPushedAgain = this.state === SoftwareState.downloading && !this.intake.isPulling;
      if (this.state !== SoftwareState.initial && !isPushedAgain) return Code.MethodNotAllowed;
      this.intake.expect();
      this.become(SoftwareState.downloading, results.downloading);
    }
    return this.intake.takeBlock(block, payload);
  }

  /** Package URI: starts a download. @returns The response code. */
  writeUri(uri: string): number {
    if (this.state !== SoftwareState.initial) return Code.MethodNotAllowed;
    this.become(SoftwareState.downloading, results.downloading);
    this.intake.pull(uri);
    return Code.Changed;
  }

  /** @returns The response code. */
  install(): number {
    if (this.state !== SoftwareState.delivered) return Code.MethodNotAllowed;
    this.host.timers.schedule(this.host.settings.installSeconds * 1_000, () => this.installed());
    return Code.Changed;
  }

  /** Uninstalls a package, whether it is installed or only delivered. @returns The response code. */
  uninstall(): number {
    this.intake.abandon();
    this.version = '';
    this.isActive = false;
    this.become(SoftwareState.initial, results.initial);
    return Code.Changed;
  }

  /** Activates an installed package, or deactivates it. @returns The response code. */
  activate(isActive: boolean): number {
    if (this.state !== SoftwareState.installed) return Code.MethodNotAllowed;
    this.isActive = isActive;
    this.host.changed(this.paths);
    return Code.Changed;
  }

  /** Called when the device restarts: an incomplete package is lost. */
  restarted(): void {
    this.intake.abandon();
    if (this.state === SoftwareState.downloading) this.become(SoftwareState.initial, results.initial);
  }

  arrived(version: string): void {
    this.intake.abandon();
    this.version = version;
    this.become(SoftwareState.delivered, results.verified);
  }

  failed(error: unknown): void {
    this.intake.abandon();
    this.host.count('software-failed');
    const result = error instanceof DownloadFailed ? error.result : Result.connectionLost;
    this.become(SoftwareState.initial, failures[result] ?? installationFailed);
    if (error instanceof PowerLost) this.host.powerOff(this.host.settings.rebootSeconds);
  }

  private installed(): void {
    if (this.state !== SoftwareState.delivered) return;
    const isBroken = this.host.failure === 'update-failed';
    this.host.count(isBroken ? 'software-failed' : 'software-installed');
    if (isBroken) this.become(SoftwareState.delivered, installationFailed);
    else this.become(SoftwareState.installed, results.installed);
  }

  private become(state: SoftwareState, result: number): void {
    this.state = state;
    this.result = result;
    this.host.changed(this.paths);
  }
}
