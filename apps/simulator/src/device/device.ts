import { type CoapRequest, type CoapResponse, type Timer } from '@lanyard/coap';
import { type Scalar } from '@lanyard/lwm2m';
import { endsWithin } from '@lanyard/service';
import { type BootstrapClient } from '../bootstrap/bootstrap-client.js';
import { Refused } from '../errors.js';
import { FirmwareUpdate } from '../firmware/firmware-update.js';
import { SoftwareInstances } from '../firmware/software-instances.js';
import { type SoftwareManagement } from '../firmware/software-management.js';
import { type FirmwareView } from '../firmware/states.js';
import { ObjectStore } from '../objects/object-store.js';
import { type ObservationId, type ObserveRequest } from '../observation/watch.js';
import { type RequestTarget } from '../operations/request-target.js';
import { type Scheme } from '../settings/server-url.js';
import { type DeviceTransport, type Server } from '../transport/device-transport.js';
import { ContactLoop, type Contacting } from './contact-loop.js';
import { DevicesBehind } from './devices-behind.js';
import { firmwareHostOf, type Updatable } from './firmware-host.js';
import { Link, type Linked } from './link.js';
import { answerTo, executeResource, applyWrite } from './requests.js';
import { Registrar, type Registering } from './registrar.js';
import { type Reporting, Reports } from './reports.js';
import { Sender } from './sender.js';
import { type Group } from './simulation-context.js';

/** After this many failures in a row, a device whose account came from a bootstrap server asks for another one. */
const failuresBeforeBootstrap = 5;

/** How much later a device that waits for an acknowledgement tries again to sleep. */
const sleepAgainMs = 500;

/** How long a device that leaves waits for the end of a contact, such as its registration. */
const contactEndsMs = 2_000;

/** One device, from its first contact until it leaves. Its parts send its messages and answer requests. */
export class Device implements RequestTarget, Contacting, Linked, Reporting, Registering, Updatable {
  readonly store: ObjectStore;
  lifetimeSeconds: number;
  readonly registrar = new Registrar(this);
  private readonly reports = new Reports(this);
  private readonly sender = new Sender(this);
  /** Present if the device is a gateway. */
  private readonly behind: DevicesBehind | undefined;
  private firmwareUpdate: FirmwareUpdate | undefined;
  /** Present once the device was given software. */
  private usedSoftware: SoftwareInstances | undefined;
  private readonly link: Link;
  private readonly contacts = new ContactLoop(this);
  private sleep: Timer | undefined;
  /** The device has no power. */
  private off = false;
  private gone = false;

  constructor(
    readonly number: number,
    readonly name: string,
    readonly group: Group,
  ) {
    this.lifetimeSeconds = group.settings.lifetimeSeconds;
    this.store = new ObjectStore(group.catalogue, this);
    this.link = new Link(this);
    if (group.settings.devicesBehind > 0) this.behind = new DevicesBehind(this);
  }

  get transport(): DeviceTransport {
    return this.link.transport;
  }

  get scheme(): Scheme {
    return this.link.scheme;
  }

  get server(): Server {
    return this.link.server;
  }

  get bootstrap(): BootstrapClient | undefined {
    return this.link.bootstrap;
  }

  get firmware(): FirmwareView {
    return this.firmwareUpdate ?? this.group.firmware;
  }

  /** Created when first used, because most devices are never updated. */
  get updater(): FirmwareUpdate {
    return (this.firmwareUpdate ??= new FirmwareUpdate(firmwareHostOf(this)));
  }

  get softwareInstances(): SoftwareInstances {
    return (this.usedSoftware ??= new SoftwareInstances(firmwareHostOf(this)));
  }

  software(instance: number): SoftwareManagement | undefined {
    return this.usedSoftware?.get(instance);
  }

  get isInContact(): boolean {
    return this.contacts.isTalking;
  }

  get isPresent(): boolean {
    return !this.gone && !this.off;
  }

  random(): number {
    return this.group.context.random();
  }

  nowMs(): number {
    return this.group.context.clock.now();
  }

  arrive(): void {
    this.contacts.now();
    this.sender.start();
    this.behind?.start();
  }

  /** Changes the device's address, as behind a NAT that forgot it, or in another network. */
  rebind(): void {
    if (this.contacts.isTalking || !this.isPresent || !this.transport.isOpen) return;
    this.group.tally.count('rebound');
    this.transport.rebind().then(
      () => {
        if (!this.transport.isOpen) this.contacts.in(0);
      },
      (error: unknown) => this.recordError(error),
    );
  }

  /** Restarts as after a power failure, and forgets what was written to it. */
  restart(): void {
    if (this.contacts.isTalking || !this.isPresent) return;
    this.group.tally.count('restarted');
    this.store.reset();
    this.behind?.reset();
    this.firmwareUpdate?.restarted();
    this.removeDeletedSoftware();
    this.usedSoftware?.restarted();
    this.powerOff(0);
  }

  /** Disappears without telling the server, and comes back after a while, with its firmware and its account. */
  powerOff(backInSeconds: number | 'never'): void {
    this.forgetRegistration();
    this.contacts.stop();
    this.sleep?.cancel();
    this.off = true;
    void this.transport.abandon();
    if (backInSeconds === 'never') return;
    this.group.context.timers.schedule(backInSeconds * 1_000, () => {
      this.off = false;
      this.contacts.now();
    });
  }

  /**
   * Stops the device for good. It deregisters first, within `deregisterMs`; if that is no time at all, it does not. A
   * registration that is under way can only end once its answer has come.
   */
  async leave(deregisterMs: number): Promise<void> {
    const deadlineMs = performance.now() + deregisterMs;
    this.gone = true;
    this.contacts.stop();
    this.sleep?.cancel();
    this.sender.stop();
    this.behind?.stop();
    this.firmwareUpdate?.restarted();
    this.usedSoftware?.restarted();
    this.reports.clear();
    if (deregisterMs > 0) await endsWithin(Math.min(deregisterMs, contactEndsMs), this.contacts.ended);
    await this.deregister(deadlineMs - performance.now());
    this.registrar.forget();
    await this.transport.close();
  }

  /** Opens its connection for that if necessary. */
  private async deregister(withinMs: number): Promise<void> {
    if (withinMs <= 0 || !this.registrar.isRegistered) return;
    const late = this.group.context.timers.schedule(withinMs, () => void this.transport.close());
    try {
      await this.link.open();
      await this.registrar.deregister();
    } catch (error) {
      this.recordError(error);
    }
    late.cancel();
  }

  watch(request: ObserveRequest): void {
    this.reports.watch(request);
  }

  unwatch(request: ObservationId): void {
    this.reports.unwatch(request);
  }

  execute(path: string, args: string): number {
    this.group.tally.count('executed');
    this.group.context.executions.countExecution(this.name, path, args);
    return executeResource(this, path);
  }

  accept(path: string, value: Scalar): number | undefined {
    return applyWrite(this, path, value);
  }

  changed(paths: readonly string[]): void {
    this.reports.changed(paths);
  }

  attributesChanged(path: string): void {
    this.reports.attributesChanged(path);
  }

  instancesChanged(): void {
    this.removeDeletedSoftware();
    this.updateSoon({ objectsChanged: true });
  }

  private removeDeletedSoftware(): void {
    this.usedSoftware?.removeDeleted((instance) => this.store.below(`/9/${instance}`).length > 0);
  }

  /** Reports changes in an update of the registration, which begins after the answer to the current request is sent. */
  updateSoon(changes: { objectsChanged?: boolean; lifetimeSeconds?: number } = {}): void {
    this.registrar.addChanges(changes);
    if (this.registrar.isRegistered) this.contacts.in(0);
  }

  /** Asks its bootstrap server for another account. */
  bootstrapAgain(): void {
    this.link.forgetAccount();
    this.forgetRegistration();
    void this.transport.close();
    this.contacts.in(0);
  }

  unacknowledged(error?: unknown): void {
    // A value that was in flight when the power failed does not count as lost, because the server is not to blame.
    if (!this.isPresent) return;
    this.group.tally.count('value-lost');
    if (error !== undefined) this.recordError(error);
    else if (!this.contacts.isTalking) {
      this.switchServer();
      this.contacts.afterPause();
    }
  }

  transportTo(scheme: Scheme): DeviceTransport {
    return this.link.transportTo(scheme);
  }

  observerReset(token: Buffer): void {
    this.reports.reset(token);
    this.behind?.observerReset(token);
  }

  disconnected(): void {
    this.contacts.afterPause();
  }

  answer(request: CoapRequest): Promise<CoapResponse> {
    this.stayAwake();
    this.group.tally.count('command-answered');
    // A bootstrap server addresses the LwM2M gateway only: the path of its Bootstrap-Finish is no prefix.
    const behind = this.bootstrap ? undefined : this.behind?.answer(request);
    return behind ? Promise.resolve(behind) : answerTo(this, request);
  }

  /** In queue mode the device listens for a while after each message, then closes its socket until the next update. */
  stayAwake(): void {
    const { awakeSeconds, queueMode } = this.group.settings;
    if (!queueMode || !this.isPresent) return;
    this.sleep?.cancel();
    this.sleepIn(awakeSeconds * 1_000);
  }

  /** Sleeps after this time, but not before everything that the device has sent is acknowledged. */
  private sleepIn(delayMs: number): void {
    this.sleep = this.group.context.timers.schedule(delayMs, () => {
      if (this.contacts.isTalking || this.isSending) this.sleepIn(sleepAgainMs);
      else void this.transport.sleep();
    });
  }

  private get isSending(): boolean {
    return this.reports.isSending || this.sender.isSending || this.behind?.isSending === true;
  }

  /** Bootstraps if necessary, and then updates its registration or registers. */
  async contact(): Promise<number> {
    const slept = !this.transport.isOpen;
    if (slept && this.transport.endsObservations) this.endObservations();
    if (!this.link.hasAccount) this.lifetimeSeconds = await this.link.obtainAccount();
    await this.link.open();
    const isNew = !(await this.registrar.update());
    if (isNew) await this.register();
    this.stayAwake();
    if (slept) {
      this.reports.wake();
      this.sender.wake();
      this.behind?.wake();
    }
    if (this.registrar.hasChanges) return 0;
    return isNew && this.group.settings.spreadUpdates ? this.updateMs() * this.random() : this.updateMs();
  }

  contactFailed(error: unknown, failures: number): number {
    this.recordError(error);
    // Its connection is the one over which the device deregisters now.
    if (this.gone) return 0;
    const bootstraps = this.group.settings.bootstrap !== 'none';
    if (bootstraps && failures % failuresBeforeBootstrap === 0) this.link.forgetAccount();
    if (error instanceof Refused) {
      this.group.tally.count('refused');
      return error.retryAfterMs;
    }
    this.switchServer();
    return 0;
  }

  private async register(): Promise<void> {
    this.forgetRegistration();
    this.store.clearAttributes();
    await this.registrar.register();
  }

  /** Time until the next update: shorter than configured if the server asked for a shorter lifetime. */
  private updateMs(): number {
    const { updateSeconds, lifetimeSeconds } = this.group.settings;
    // A lifetime of 0 is infinite (LwM2M 1.1 core appendix E.2).
    const wanted = this.lifetimeSeconds === 0 ? Infinity : this.lifetimeSeconds;
    const seconds = Math.min(updateSeconds, (updateSeconds / lifetimeSeconds) * wanted);
    return seconds * 1_000 * (0.9 + 0.1 * this.random());
  }

  /**
   * Called when the server has not answered: it may be down, or may have forgotten the connection. The next contact
   * makes a new one, to the next server.
   */
  private switchServer(): void {
    this.group.tally.count('silence');
    void this.transport.invalidate();
    this.link.useNextServer();
  }

  private endObservations(): void {
    this.reports.clear();
    this.behind?.endObservations();
  }

  /** Forgets the registration and the observations that belong to it. */
  private forgetRegistration(): void {
    this.registrar.forget();
    this.reports.clear();
    this.behind?.clear();
  }

  private recordError(error: unknown): void {
    if (error instanceof Error) this.group.tally.recordTrouble(error.message);
  }
}
