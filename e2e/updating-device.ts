import { createHash } from 'node:crypto';
import { DeviceClient, type DeviceOptions, eventually } from '@lanyard/testing';

/** Values of /5/0/3 and /5/0/5 (LwM2M 1.1 core appendix E.6). */
const states = { idle: 0, downloading: 1, downloaded: 2, updating: 3 } as const;
const results = { none: 0, success: 1, integrity: 5 } as const;

const overHttp = 2;

/** A disturbance of a device's update. */
export interface Disturbance {
  /** The downloaded image fails its check. */
  isCorrupt?: boolean;
  /** In its first download, it reboots after half of the image. */
  diesOnce?: boolean;
}

/** A device with object 5, which pulls over HTTP, checks the image, and reboots. */
export class UpdatingDevice {
  readonly client: DeviceClient;
  version = '1';
  /** How often it installed an image. */
  installations = 0;
  /** Offsets at which its downloads of parts began. */
  readonly offsets: number[] = [];
  private state: number = states.idle;
  private result: number = results.none;
  private image = Buffer.alloc(0);
  private hasDied = false;

  constructor(
    options: DeviceOptions,
    /** SHA-256 of the image that it accepts, and the version in that image. */
    private readonly wanted: { checksum: string; version: string },
    private readonly disturbance: Disturbance = {},
  ) {
    this.client = new DeviceClient(options);
    const { resources } = this.client;
    resources.set('/3/0/3', { read: () => this.version });
    resources.set('/5/0/1', { write: (payload) => this.begin(payload.toString()) });
    resources.set('/5/0/2', { execute: () => this.install() });
    resources.set('/5/0/3', { read: () => this.state });
    resources.set('/5/0/5', { read: () => this.result });
    resources.set('/5/0/8', { read: () => overHttp });
    resources.set('/5/0/9', { read: () => 0 });
  }

  private begin(uri: string): void {
    [this.state, this.result] = [uri === '' ? states.idle : states.downloading, results.none];
    if (uri !== '') void this.download(uri);
  }

  /** Resumes at the position where the last download broke off. */
  private async download(uri: string): Promise<void> {
    const dies = this.disturbance.diesOnce === true && !this.hasDied;
    this.offsets.push(this.image.length);
    const range = dies ? 'bytes=0-99999' : `bytes=${this.image.length}-`;
    const answer = await eventually(async () => {
      const response = await fetch(uri, { headers: { range } });
      if (response.status !== 206) throw new Error(`${response.status} for ${range}`);
      return Buffer.from(await response.arrayBuffer());
    });
    this.image = Buffer.concat([this.image, answer]);
    if (dies) {
      this.hasDied = true;
      return this.reboot();
    }
    const checksum = createHash('sha256').update(this.image).digest('hex');
    const isGood = checksum === this.wanted.checksum && !this.disturbance.isCorrupt;
    if (!isGood) this.image = Buffer.alloc(0);
    [this.state, this.result] = isGood ? [states.downloaded, results.none] : [states.idle, results.integrity];
  }

  private install(): void {
    if (this.state !== states.downloaded) throw new Error('nothing to install');
    this.state = states.updating;
    this.installations++;
    // Restarts after the answer has been sent.
    setImmediate(() => void this.restart());
  }

  private async restart(): Promise<void> {
    await this.client.sleep();
    this.version = this.wanted.version;
    await this.reboot(results.success);
  }

  private async reboot(result: number = results.none): Promise<void> {
    await this.client.sleep();
    [this.state, this.result] = [states.idle, result];
    await this.client.open();
    await eventually(() => this.client.register());
  }
}
