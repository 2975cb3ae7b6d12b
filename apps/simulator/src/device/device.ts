import { Code, CoapError, type Timer } from '@lanyard/coap';
import { Refused } from '../errors.js';
import { type Watch } from './watches.js';
import { type Group } from './world.js';
import { type DeviceTransport, type Server } from '../transport/device-transport.js';
import { answer, type Asked } from './answer.js';
import { backOffMs } from './back-off.js';
import { type Catalogue } from './catalogue.js';
import { accepted, deregisterRequest, registerRequest, updateRequest } from './registration.js';

/** One device: it registers, updates its registration in time, reports what is observed, and answers what it is asked. */
export class Device implements Asked {
  private readonly transport: DeviceTransport;
  private registrationId: string | undefined;
  private readonly watches: Watch[] = [];
  private writes: Map<string, string> | undefined;
  private server: number;
  private failures = 0;
  private next: Timer | undefined;
  private sleep: Timer | undefined;
  private talking = false;
  private gone = false;

  constructor(
    readonly number: number,
    readonly name: string,
    private readonly group: Group,
  ) {
    this.server = number % group.servers.length;
    const to = { scheme: group.settings.servers[0]?.scheme ?? 'coap', credential: group.credentials[number] };
    this.transport = group.transportOf(number, to, {
      onRequest: (request) => {
        this.stayAwake();
        group.tally.count('command-answered');
        return Promise.resolve(answer(this, request));
      },
      onObserverReset: (token) => this.forget(this.watches.find((watch) => watch.token.equals(token))),
      onDisconnected: () => this.contactIn(this.pauseMs()),
      onHandshake: (resumed) => group.tally.count(resumed ? 'handshake-resumed' : 'handshake'),
    });
  }

  get catalogue(): Catalogue {
    return this.group.catalogue;
  }

  chance(): number {
    return this.group.world.random();
  }

  nowMs(): number {
    return this.group.world.clock.now();
  }

  arrive(): void {
    void this.contact();
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
    this.writes = undefined;
    void this.transport.abandon().then(() => this.contact());
  }

  /** Stops the device; deregisters if there is time. */
  async leave(graceful: boolean): Promise<void> {
    this.gone = true;
    this.next?.cancel();
    this.sleep?.cancel();
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

  watch(path: string, token: Buffer): void {
    const known = this.watches.find((watch) => watch.path === path);
    if (known) {
      known.token = Buffer.from(token);
      return;
    }
    const watch: Watch = { device: this, path, token: Buffer.from(token), number: 0, busy: false, place: -1 };
    this.watches.push(watch);
    this.group.watches.add(watch);
  }

  unwatch(path: string): void {
    this.forget(this.watches.find((watch) => watch.path === path));
  }

  written(path: string): string | undefined {
    return this.writes?.get(path);
  }

  write(path: string, value: string): void {
    (this.writes ??= new Map()).set(path, value);
  }

  execute(path: string, args: string): void {
    this.group.tally.count('executed');
    this.group.world.executions.countExecution(this.name, path, args);
  }

  /** Notifies the observer of a resource, unless the device sleeps or still waits for an acknowledgement. */
  async report(watch: Watch): Promise<void> {
    const { settings, tally, world } = this.group;
    if (watch.busy || !this.transport.isOpen) return tally.count('value-held-back');
    watch.busy = true;
    watch.number = (watch.number + 1) & 0xff_ffff;
    const numbered = settings.numberedValues ? world.numbered : undefined;
    const number = numbered?.nextValue(this.name, watch.path);
    const sentAt = performance.now();
    try {
      const outcome = await this.transport.notify({
        token: watch.token,
        observeNumber: watch.number,
        payload: Buffer.from(number === undefined ? this.valueAt(watch.path) : String(number)),
        contentFormat: 0,
        confirmable: settings.confirmable,
        ackTimeoutMs: settings.ackTimeoutMs,
        maxRetransmit: settings.retransmissions,
      });
      if (outcome === 'reset') this.forget(watch);
      else if (outcome === 'timed-out') this.unacknowledged();
      else {
        tally.count('value-sent');
        if (outcome === 'acknowledged') tally.took('value', performance.now() - sentAt);
        if (number !== undefined) numbered?.acknowledged(this.name, watch.path, number);
      }
    } catch (error) {
      tally.count('value-lost');
      this.recordError(error);
    } finally {
      watch.busy = false;
    }
  }

  private valueAt(path: string): string {
    return this.written(path) ?? String(this.catalogue.get(path)?.read?.(this) ?? '');
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
      this.contactIn(this.group.settings.updateSeconds * 1_000 * (0.9 + 0.1 * this.chance()));
      this.stayAwake();
    } catch (error) {
      this.failed(error);
    } finally {
      this.talking = false;
    }
    if (slept) for (const watch of [...this.watches]) void this.report(watch);
  }

  private async register(): Promise<void> {
    this.forgetWatches();
    const request = registerRequest(this.name, this.group.settings, this.catalogue.links);
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
    const sentAt = performance.now();
    const response = await this.transport.request(updateRequest(this.registrationId, this.group.settings));
    if (response.code >> 5 === 4) {
      this.lose();
      return false;
    }
    accepted('update', response, Code.Changed);
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

  /** A value was not acknowledged: the server may be down, and another one available. */
  private unacknowledged(): void {
    this.group.tally.count('value-lost');
    if (this.talking) return;
    void this.transport.doubt();
    this.nextServer();
    this.contactIn(this.pauseMs());
  }

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
    this.forgetWatches();
  }

  private forgetWatches(): void {
    for (const watch of this.watches.splice(0)) this.group.watches.remove(watch);
  }

  private forget(watch: Watch | undefined): void {
    const at = watch ? this.watches.indexOf(watch) : -1;
    if (!watch || at < 0) return;
    this.group.tally.count('observation-reset');
    this.watches.splice(at, 1);
    this.group.watches.remove(watch);
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
    if (error instanceof Refused || error instanceof CoapError || error instanceof Error)
      this.group.tally.note(error.message);
  }
}
