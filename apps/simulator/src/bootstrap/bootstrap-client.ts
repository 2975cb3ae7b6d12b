import { Code, type CoapRequest, type CoapResponse, formatCode, type TimerWheel } from '@lanyard/coap';
import { contentFormat } from '@lanyard/lwm2m';
import { Refused } from '../errors.js';
import { type RetransmissionSettings, type Version } from '../settings/group.js';
import { type DeviceTransport } from '../transport/device-transport.js';
import { type Account, accountIn } from './account.js';
import { BootstrapStore } from './bootstrap-store.js';

/** How long the server may take from the Bootstrap-Request to the Bootstrap-Finish. */
const conversationMs = 93_000;

export interface BootstrapOptions extends RetransmissionSettings {
  name: string;
  version: Version;
  uri: string;
  timers: TimerWheel;
}

/** The device's side of the bootstrap interface (LwM2M 1.2 core §6.1), for one attempt to get an account. */
export class BootstrapClient {
  private readonly store: BootstrapStore;
  private finished: (() => void) | undefined;

  constructor(private readonly options: BootstrapOptions) {
    this.store = new BootstrapStore(options.uri, options.version);
  }

  /**
   * Sends a Bootstrap-Request, and waits for the Bootstrap-Finish, but no longer than `conversationMs`. Rejects with
   * Refused if the server refuses the request or has not written a complete account by then, or with an error of the
   * transport.
   */
  async request(transport: DeviceTransport): Promise<Account> {
    const ended = this.untilFinished();
    try {
      const response = await transport.request({ ...this.common(), method: Code.POST, path: ['bs'] });
      if (response.code !== Code.Changed) throw this.refused(response);
      await ended;
    } finally {
      this.finished?.();
    }
    return this.account();
  }

  /** Bootstrap-Pack-Request: the account in one answer (LwM2M 1.2 core §6.1.7.5). Rejects with Refused. */
  async pack(transport: DeviceTransport): Promise<Account> {
    const accept = contentFormat.senmlCbor;
    const response = await transport.request({ ...this.common(), method: Code.GET, path: ['bspack'], accept });
    if (response.code !== Code.Content) throw this.refused(response);
    const code = this.store.write('/', response.payload, response.contentFormat ?? accept);
    if (code !== Code.Changed) throw new Refused('bootstrap pack', formatCode(code), 0);
    return this.account();
  }

  answer(request: CoapRequest): CoapResponse {
    if (request.method !== Code.POST || request.path.join('/') !== 'bs') return this.store.answer(request);
    if (!accountIn(this.store.resources)) return { code: Code.NotAcceptable };
    return { code: Code.Changed, onSent: () => this.finished?.() };
  }

  private account(): Account {
    const account = accountIn(this.store.resources);
    if (!account) throw new Refused('bootstrap', 'no account', 0);
    return account;
  }

  private untilFinished(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.options.timers.schedule(conversationMs, () => resolve());
      this.finished = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  private refused({ code, maxAgeSeconds = 0 }: CoapResponse): Refused {
    return new Refused('bootstrap', formatCode(code), maxAgeSeconds * 1_000);
  }

  private common() {
    const { name, ackTimeoutMs, retransmissions: maxRetransmit } = this.options;
    return { query: [`ep=${name}`], ackTimeoutMs, maxRetransmit };
  }
}
