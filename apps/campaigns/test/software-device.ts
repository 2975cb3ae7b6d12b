import { type Answer, type DeliveredCommand, FirmwareDevice } from './firmware-device.js';

/** Object 9 of one device: its instance has the package in some version, or is free. */
export class SoftwareDevice extends FirmwareDevice {
  /** Without one the device waits until a server creates it. */
  hasInstance = true;
  /** Answers to Creates are lost. */
  isCreateUnanswered = false;
  installed: string | undefined;
  swState = 0;
  isActive = false;

  constructor(
    deviceId: string,
    wanted: string,
    private readonly packageName: string,
  ) {
    super(deviceId, wanted, (command) => this.answerAs(command, wanted));
  }

  private answerAs({ method, path = '', ticket, payload }: DeliveredCommand, wanted: string): Answer {
    if (method === 'GET') return this.hasInstance ? { text: this.instances() } : { text: '[]' };
    if (path === '/9') return this.create();
    if (method === 'PUT') {
      this.uri = Buffer.from(payload ?? '', 'base64').toString() + (ticket ?? '');
      this.swState = 3;
      return { text: '' };
    }
    if (path.endsWith('/6')) [this.swState, this.installed, this.isActive] = [0, undefined, false];
    if (path.endsWith('/4')) [this.swState, this.installed] = [4, wanted];
    if (path.endsWith('/10')) this.isActive = true;
    return { text: '' };
  }

  private create(): Answer {
    if (this.hasInstance) return { error: 'BAD_REQUEST' };
    this.hasInstance = true;
    return this.isCreateUnanswered ? { error: 'TIMEOUT' } : { text: '' };
  }

  private instances(): string {
    const { installed, swState, isActive, packageName } = this;
    return JSON.stringify([
      { bn: '/9/1/', n: '0', vs: installed === undefined ? '' : packageName },
      { n: '1', vs: installed ?? '' },
      { n: '7', v: swState },
      { n: '9', v: swState === 4 ? 2 : 0 },
      { n: '12', vb: isActive },
    ]);
  }
}
