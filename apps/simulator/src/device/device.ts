import { Code, type CoapRequest, type CoapResponse, type Timer } from '@lanyard/coap';
import { type Scalar } from '@lanyard/lwm2m';
import { Refused } from '../errors.js';
import { registrationLinks } from '../objects/links.js';
import { ObjectStore } from '../objects/object-store.js';
import { type ObserveRequest } from '../observation/watch.js';
import { answer } from '../operations/answer.js';
import { type Asked } from '../operations/asked.js';
import { type DeviceTransport, type Server } from '../transport/device-transport.js';
import { backOffMs } from './back-off.js';
import { accepted, deregisterRequest, registerRequest, type UpdateNews, updateRequest } from './registration.js';
import { type Reporting, Reports } from './reports.js';
import { Sender } from './sender.js';
import { type Group } from './world.js';

/** One device: it registers, updates its registration in time, reports what is observed, and answers what it is asked. */
export class Device implements Asked, Reporting {
  readonly transport: DeviceTransport;
  readonly store: ObjectStore;
  lifetimeSeconds: number;
  private readonly reports = new Reports(this);
  private readonly sender = new Sender(this);
  private registrationId: string | undefined;
  /** What the next update tells. */
  private news: UpdateNews = {};
  private server: number;
  private failures = 0;
  private next: Timer | undefined;
  private sleep: Timer | undefined;
  private talking = false;
  private gone = false;

  constructor(
    readonly number: number,
    readonly name: string,
    readonly group: Group,
  ) {
    this.server = number % group.servers.length;
    this.lifetimeSeconds = group.settings.lifetimeSeconds;
    this.store = new ObjectStore(group.catalogue, this);
    const to = { scheme: group.settings.servers[0]?.scheme ?? 'coap', credential: group.credentials[number] };
    this.transport = group.transportOf(number, to, {
      onRequest: (request) => Promise.resolve(this.answer(request)),
      onObserverReset: (token) => this.reports.reset(token),
      onDisconnected: () => this.contactIn(this.pauseMs()),
      onHandshake: (resumed) => group.tally.count(resumed ? 'handshake-resumed' : 'handshake'),
    });
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

  /** Restarts as after a power failure, without its state. */
  restart(): void {
    if (this.talking || this.gone) return;
    this.group.tally.count('restarted');
    this.lose();
    this.store.reset();
    this.lifetimeSeconds = this.group.settings.lifetimeSeconds;
    void this.transport.abandon().then(() => this.contact());
  }

  /** Stops the device; deregisters if there is time. */
  async leave(graceful: boolean): Promise<void> {
    this.gone = true;
    this.next?.cancel();
    this.sleep?.cancel();
    this.sender.stop();
    const { registrationId } = this;
    this.lose();
    try {
      if (graceful && registrationId !== undefined) {
        await this.transport.open(this.currentServer);
        accepted('deregister', await this.transport.request(deregisterRequest(registrationId)), Code.Deleted);
        this.group.tally.count('deregistered');
      }
    } catch (error) {
      this.recordError(error);
    }
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
    if (path === '/1/0/8') this.contactIn(0);
    return Code.Changed;
  }

  accept(path: string, value: Scalar): number | undefined {
    if (path !== '/1/0/1') return undefined;
    this.lifetimeSeconds = Number(value);
    this.tell({ lifetimeSeconds: this.lifetimeSeconds });
    return undefined;
  }

  changed(paths: readonly string[]): void {
    this.reports.changed(paths);
  }

  instancesChanged(): void {
    this.tell({ links: registrationLinks(this.store) });
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

  private answer(request: CoapRequest): CoapResponse {
    this.stayAwake();
    this.group.tally.count('command-answered');
    return answer(this, request);
  }

  /** With an update, after the answer that is under way. */
  private tell(news: UpdateNews): void {
    this.news = { ...this.news, ...news };
    if (this.registrationId !== undefined) this.contactIn(0);
  }

  private get currentServer(): Server {
    return this.group.servers[this.server] as Server;
  }

  /** Updates the registration, or registers; a failure is retried later. */
  private async contact(): Promise<void> {
    if (this.talking || this.gone) return;
    this.talking = true;
    this.next?.cancel();
    const slept = !this.transport.isOpen;
    try {
      await this.transport.open(this.currentServer);
      if (!(await this.update())) await this.register();
      this.failures = 0;
      this.contactIn(Object.keys(this.news).length > 0 ? 0 : this.updateMs());
      this.stayAwake();
    } catch (error) {
      this.failed(error);
    } finally {
      this.talking = false;
    }
    if (slept && this.transport.isOpen) this.reports.wake();
  }

  /** Earlier than the server asked for a lifetime, if it asked for a short one. */
  private updateMs(): number {
    const { updateSeconds, lifetimeSeconds } = this.group.settings;
    const seconds = Math.min(updateSeconds, (updateSeconds / lifetimeSeconds) * this.lifetimeSeconds);
    return seconds * 1_000 * (0.9 + 0.1 * this.chance());
  }

  private async register(): Promise<void> {
    this.reports.clear();
    this.news = {};
    const request = registerRequest(this, this.group.settings, registrationLinks(this.store));
    const sentAt = performance.now();
    const { locationPath } = accepted('register', await this.transport.request(request), Code.Created);
    this.group.tally.took('registration', performance.now() - sentAt);
    this.registrationId = locationPath?.at(-1);
    this.group.tally.changeRegistered(1);
    this.group.tally.count('registered');
  }

  /** False if there is no registration, or the server no longer knows it. */
  private async update(): Promise<boolean> {
    if (this.registrationId === undefined) return false;
    const { news } = this;
    const sentAt = performance.now();
    const response = await this.transport.request(updateRequest(this.registrationId, this.group.settings, news));
    if (response.code >> 5 === 4) {
      this.lose();
      return false;
    }
    accepted('update', response, Code.Changed);
    if (this.news === news) this.news = {};
    this.group.tally.took('update', performance.now() - sentAt);
    this.group.tally.count('updated');
    return true;
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
  }

  /** The server may be down, and another one available. */
  private nextServer(): void {
    this.group.tally.count('silence');
    this.server = (this.server + 1) % this.group.servers.length;
  }

  private pauseMs(): number {
    return backOffMs(this.failures, this.group.settings.backOff, this.group.world.random);
  }

  private contactIn(delayMs: number): void {
    this.next?.cancel();
    if (!this.gone) this.next = this.group.world.timers.schedule(delayMs, () => void this.contact());
  }

  private lose(): void {
    if (this.registrationId !== undefined) this.group.tally.changeRegistered(-1);
    this.registrationId = undefined;
    this.reports.clear();
  }

  /** In queue mode it listens for a while after each message, then the socket is closed until the next update. */
  private stayAwake(): void {
    const { awakeSeconds, queueMode } = this.group.settings;
    if (!queueMode || this.gone) return;
    this.sleep?.cancel();
    this.sleep = this.group.world.timers.schedule(awakeSeconds * 1_000, () => {
      if (!this.talking) void this.transport.sleep();
    });
  }

  private recordError(error: unknown): void {
    if (error instanceof Error) this.group.tally.note(error.message);
  }
}
