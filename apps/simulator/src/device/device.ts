import { type CoapRequest, type CoapResponse, type Timer } from '@lanyard/coap';
import { type Scalar } from '@lanyard/lwm2m';
import { type Account } from '../bootstrap/account.js';
import { type BootstrapClient } from '../bootstrap/bootstrap-client.js';
import { Refused } from '../errors.js';
import { type FirmwareUpdate } from '../firmware/firmware-update.js';
import { type FirmwareView } from '../firmware/states.js';
import { ObjectStore } from '../objects/object-store.js';
import { type ObserveRequest } from '../observation/watch.js';
import { type Asked } from '../operations/asked.js';
import { type Scheme } from '../settings/server-url.js';
import { type DeviceTransport, type Server } from '../transport/device-transport.js';
import { backOffMs } from './back-off.js';
import { bootstrapped, firstAccount, serversOf } from './bootstrapping.js';
import { firmwareOf, type Updatable } from './firmware-host.js';
import { answerTo, carryOut, take } from './requests.js';
import { Registrar, type Registering } from './registrar.js';
import { type Reporting, Reports } from './reports.js';
import { Sender } from './sender.js';
import { type Group } from './world.js';

/** After so many failures in a row, a device whose account came from a bootstrap server asks for another one. */
const failuresBeforeBootstrap = 5;

/** One device: its life from the first contact on. What it says and answers is in its parts. */
export class Device implements Asked, Reporting, Registering, Updatable {
  readonly store: ObjectStore;
  transport: DeviceTransport;
  scheme: Scheme;
  lifetimeSeconds: number;
  readonly registrar = new Registrar(this);
  /** The bootstrap that is under way. */
  bootstrap: BootstrapClient | undefined;
  private readonly reports = new Reports(this);
  private readonly sender = new Sender(this);
  private firmwareUpdate: FirmwareUpdate | undefined;
  /** undefined: the device has to bootstrap. */
  private account: Account | undefined;
  private servers: readonly Server[];
  private serverAt: number;
  private failures = 0;
  private next: Timer | undefined;
  private sleep: Timer | undefined;
  private talking = false;
  /** Without power. */
  private off = false;
  private gone = false;

  constructor(
    readonly number: number,
    readonly name: string,
    readonly group: Group,
  ) {
    const [first] = group.settings.servers;
    this.account = firstAccount(group);
    this.scheme = first?.scheme ?? 'coap';
    this.servers = group.servers;
    this.serverAt = number % group.servers.length;
    this.lifetimeSeconds = group.settings.lifetimeSeconds;
    this.store = new ObjectStore(group.catalogue, this);
    this.transport = this.transportTo(this.scheme);
  }

  get firmware(): FirmwareView {
    return this.firmwareUpdate ?? this.group.firmware;
  }

  /** Its first use makes it: most devices are never updated. */
  get updater(): FirmwareUpdate {
    return (this.firmwareUpdate ??= firmwareOf(this));
  }

  get server(): Server {
    return this.servers[this.serverAt] as Server;
  }

  chance(): number {
    return this.group.world.random();
  }

  nowMs(): number {
    return this.group.world.clock.now();
  }

  arrive(): void {
    void this.contact();
    this.sender.start();
  }

  /** Its address changes: behind a NAT that forgot it, or in another network. */
  rebind(): void {
    if (this.talking || this.gone || !this.transport.isOpen) return;
    this.group.tally.count('rebound');
    this.transport.rebind().then(
      () => {
        if (!this.transport.isOpen) this.contactIn(0);
      },
      (error: unknown) => this.failed(error),
    );
  }

  /** Restarts as after a power failure, without what was written to it. */
  restart(): void {
    if (this.talking || this.gone || this.off) return;
    this.group.tally.count('restarted');
    this.store.reset();
    this.firmwareUpdate?.restarted();
    this.powerOff(0);
  }

  /** Disappears without a word, and comes back after a while, with its firmware and its account. */
  powerOff(backInSeconds: number | 'never'): void {
    this.lose();
    this.next?.cancel();
    this.sleep?.cancel();
    this.off = true;
    void this.transport.abandon();
    if (backInSeconds === 'never') return;
    this.next = this.group.world.timers.schedule(backInSeconds * 1_000, () => {
      this.off = false;
      void this.contact();
    });
  }

  /** Stops the device; deregisters if there is time. */
  async leave(graceful: boolean): Promise<void> {
    this.gone = true;
    this.next?.cancel();
    this.sleep?.cancel();
    this.sender.stop();
    this.firmwareUpdate?.restarted();
    this.reports.clear();
    try {
      if (graceful && this.registrar.isRegistered) {
        await this.transport.open(this.server);
        await this.registrar.deregister();
      }
    } catch (error) {
      this.recordError(error);
    }
    this.registrar.lose();
    await this.transport.close();
  }

  watch(request: ObserveRequest): void {
    this.reports.watch(request);
  }

  unwatch(request: Pick<ObserveRequest, 'paths' | 'isComposite'>): void {
    this.reports.unwatch(request);
  }

  execute(path: string, args: string): number {
    this.group.tally.count('executed');
    this.group.world.executions.countExecution(this.name, path, args);
    return carryOut(this, path);
  }

  accept(path: string, value: Scalar): number | undefined {
    return take(this, path, value);
  }

  changed(paths: readonly string[]): void {
    this.reports.changed(paths);
  }

  instancesChanged(): void {
    this.updateSoon({ isOfObjects: true });
  }

  /** With an update, after the answer that is under way. */
  updateSoon(news: { isOfObjects?: boolean; lifetimeSeconds?: number } = {}): void {
    this.registrar.tell(news);
    if (this.registrar.isRegistered) this.contactIn(0);
  }

  /** Asks its bootstrap server for another account. */
  bootstrapAgain(): void {
    this.account = undefined;
    this.lose();
    void this.transport.close();
    this.contactIn(0);
  }

  unacknowledged(error?: unknown): void {
    this.group.tally.count('value-lost');
    if (error !== undefined) this.recordError(error);
    else if (!this.talking) {
      void this.transport.doubt();
      this.nextServer();
      this.contactIn(this.pauseMs());
    }
  }

  transportTo(scheme: Scheme, credential = this.account?.credential): DeviceTransport {
    const given = credential ?? this.group.credentials[this.number];
    const isOwn = (transport: DeviceTransport): boolean => transport === this.transport;
    const transport: DeviceTransport = this.group.transportOf(
      this.number,
      { scheme, credential: given },
      {
        onRequest: (request) => this.answer(request),
        onObserverReset: (token) => this.reports.reset(token),
        onDisconnected: () => {
          if (isOwn(transport) && !this.off) this.contactIn(this.pauseMs());
        },
        onHandshake: (resumed) => this.group.tally.count(resumed ? 'handshake-resumed' : 'handshake'),
      },
    );
    return transport;
  }

  /** In queue mode it listens for a while after each message, then the socket is closed until the next update. */
  stayAwake(): void {
    const { awakeSeconds, queueMode } = this.group.settings;
    if (!queueMode || this.gone || this.off) return;
    this.sleep?.cancel();
    this.sleep = this.group.world.timers.schedule(awakeSeconds * 1_000, () => {
      if (!this.talking) void this.transport.sleep();
    });
  }

  private answer(request: CoapRequest): Promise<CoapResponse> {
    this.stayAwake();
    this.group.tally.count('command-answered');
    return answerTo(this, request);
  }

  /** Bootstraps if it has to, updates its registration, or registers; a failure is retried later. */
  private async contact(): Promise<void> {
    if (this.talking || this.gone || this.off) return;
    this.talking = true;
    this.next?.cancel();
    const slept = !this.transport.isOpen;
    try {
      if (!this.account) await this.takeAccount();
      await this.transport.open(this.server);
      if (!(await this.registrar.update())) await this.register();
      this.failures = 0;
      this.contactIn(this.registrar.hasNews ? 0 : this.updateMs());
      this.stayAwake();
    } catch (error) {
      this.failed(error);
    } finally {
      this.talking = false;
    }
    if (slept && this.transport.isOpen) this.reports.wake();
  }

  private async register(): Promise<void> {
    this.lose();
    this.store.clearAttributes();
    await this.registrar.register();
  }

  private async takeAccount(): Promise<void> {
    const account = await bootstrapped(this);
    [this.scheme] = [account.servers[0]?.scheme ?? 'coap'];
    this.servers = await serversOf(account, this.group);
    this.serverAt = 0;
    this.account = account;
    this.lifetimeSeconds = account.lifetimeSeconds;
    this.transport = this.transportTo(this.scheme);
  }

  /** Earlier than configured if the server asked for a shorter lifetime. */
  private updateMs(): number {
    const { updateSeconds, lifetimeSeconds } = this.group.settings;
    const seconds = Math.min(updateSeconds, (updateSeconds / lifetimeSeconds) * this.lifetimeSeconds);
    return seconds * 1_000 * (0.9 + 0.1 * this.chance());
  }

  private failed(error: unknown): void {
    this.recordError(error);
    if (error instanceof Refused) this.group.tally.count('refused');
    else {
      void this.transport.doubt();
      this.nextServer();
    }
    this.contactIn(Math.max(this.pauseMs(), error instanceof Refused ? error.retryAfterMs : 0));
    this.failures += 1;
    const isBootstrapped = this.group.settings.bootstrap !== 'none' && this.account !== undefined;
    if (isBootstrapped && this.failures % failuresBeforeBootstrap === 0) this.account = undefined;
  }

  /** The server may be down, and another one available. */
  private nextServer(): void {
    this.group.tally.count('silence');
    this.serverAt = (this.serverAt + 1) % this.servers.length;
  }

  private pauseMs(): number {
    return backOffMs(this.failures, this.group.settings.backOff, this.group.world.random);
  }

  private contactIn(delayMs: number): void {
    this.next?.cancel();
    if (!this.gone && !this.off) this.next = this.group.world.timers.schedule(delayMs, () => void this.contact());
  }

  private lose(): void {
    this.registrar.lose();
    this.reports.clear();
  }

  private recordError(error: unknown): void {
    if (error instanceof Error) this.group.tally.note(error.message);
  }
}
