import type { CampaignCommandIssued } from '@lanyard/contracts';

/** A command as the device gets it. */
export type DeliveredCommand = Omit<CampaignCommandIssued, 'sealedTicket'> & { ticket?: string };

/** What a device answers to a command: a value, an error of the device-proxy, or nothing for now. */
export type Answer = { text: string } | { error: string } | 'nothing';

/** Object 5 of one device, as the device-proxy sees it: what it answers to the commands of a campaign. */
export class FirmwareDevice {
  state = 0;
  result = 0;
  version = '1';
  uri = '';
  pushed: string | undefined;
  /** How it ends a download. */
  downloadEnds: { state: number; result: number } = { state: 2, result: 0 };
  readonly commands: DeliveredCommand[] = [];

  constructor(
    readonly deviceId: string,
    private readonly wanted: string,
    /** Overrides answers; undefined: as a device that works. */
    protected readonly special: (command: DeliveredCommand, device: FirmwareDevice) => Answer | undefined = () =>
      undefined,
  ) {}

  answer(command: DeliveredCommand): Answer {
    this.commands.push(command);
    return this.special(command, this) ?? this.usual(command);
  }

  /** The values of object 5, as SenML JSON. */
  object(): string {
    const { state, result } = this;
    return JSON.stringify([
      { bn: '/5/0/', n: '3', v: state },
      { n: '5', v: result },
    ]);
  }

  private usual({ method, path, payload, ticket }: DeliveredCommand): Answer {
    if (path === '/3/0/3') return { text: this.version };
    if (method === 'GET') return { text: this.object() };
    if (method === 'POST') {
      [this.state, this.result, this.version] = [0, 1, this.wanted];
      return { text: '' };
    }
    const text = Buffer.from(payload ?? '', 'base64').toString();
    this.uri = text === '' ? '' : text + (ticket ?? '');
    this.pushed = text === '' ? ticket : undefined;
    if (ticket !== undefined) [this.state, this.result] = [this.downloadEnds.state, this.downloadEnds.result];
    else this.state = 0;
    return { text: '' };
  }
}
