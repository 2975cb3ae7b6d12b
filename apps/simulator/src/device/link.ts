import { type CoapRequest, type CoapResponse } from '@lanyard/coap';
import { type Account } from '../bootstrap/account.js';
import { type BootstrapClient } from '../bootstrap/bootstrap-client.js';
import { type Scheme } from '../settings/server-url.js';
import { type Proof } from '../transport/credentials.js';
import { type DeviceTransport, type Server } from '../transport/device-transport.js';
import { bootstrapped, firstAccount, serversOf } from './bootstrapping.js';
import { type Group } from './simulation-context.js';

export interface Linked {
  readonly number: number;
  readonly name: string;
  readonly group: Group;
  answer(request: CoapRequest): Promise<CoapResponse>;
  observerReset(token: Buffer): void;
  disconnected(): void;
}

/** The account of a device, and its connection to one of the account's servers. */
export class Link {
  transport: DeviceTransport;
  scheme: Scheme;
  /** Answers the requests of the bootstrap server; undefined unless the device bootstraps just now. */
  bootstrap: BootstrapClient | undefined;
  /** undefined if the device has to bootstrap. */
  private account: Account | undefined;
  private servers: readonly Server[];
  private serverIndex: number;

  constructor(private readonly device: Linked) {
    const { group, number } = device;
    this.account = firstAccount(group);
    this.scheme = group.settings.servers[0]?.scheme ?? 'coap';
    this.servers = group.servers;
    this.serverIndex = number % group.servers.length;
    this.transport = this.transportTo(this.scheme);
  }

  get server(): Server {
    return this.servers[this.serverIndex] as Server;
  }

  get hasAccount(): boolean {
    return this.account !== undefined;
  }

  forgetAccount(): void {
    this.account = undefined;
  }

  /** Switches to the next server, because the current one may be down. */
  useNextServer(): void {
    this.serverIndex = (this.serverIndex + 1) % this.servers.length;
  }

  open(): Promise<void> {
    return this.transport.open(this.server);
  }

  /** Gets an account from the bootstrap server. Rejects with Refused, or with the errors of transports. @returns Its lifetime. */
  async obtainAccount(): Promise<number> {
    const { device } = this;
    const account = await bootstrapped(device, this);
    this.servers = await serversOf(account, device.group);
    this.serverIndex = 0;
    this.account = account;
    this.scheme = account.servers[0]?.scheme ?? 'coap';
    this.transport = this.transportTo(this.scheme);
    return account.lifetimeSeconds;
  }

  /** A connection to a server of this kind, with the credential of the account unless another one is given. */
  transportTo(scheme: Scheme, given: Proof | undefined = this.account?.credential): DeviceTransport {
    const { device } = this;
    const { group, number } = device;
    const credential = given ?? group.credentials[number];
    const transport: DeviceTransport = group.transportOf(
      number,
      { scheme, credential },
      {
        onRequest: (request) => device.answer(request),
        onObserverReset: (token) => device.observerReset(token),
        onDisconnected: () => {
          if (transport === this.transport) device.disconnected();
        },
        onHandshake: (resumed) => group.tally.count(resumed ? 'handshake-resumed' : 'handshake'),
      },
    );
    return transport;
  }
}
