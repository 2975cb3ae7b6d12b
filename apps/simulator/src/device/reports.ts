import { covers, Malformed, type ResourceValue } from '@lanyard/lwm2m';
import { type Attributes } from '../objects/attributes.js';
import { type ObjectStore } from '../objects/object-store.js';
import { type Encoded, encodeFor, isTimed } from '../observation/encode.js';
import { NotificationRule } from '../observation/notification-rule.js';
import { type ObservationId, type ObserveRequest, type Watch, watchKey } from '../observation/watch.js';
import { type DeviceTransport } from '../transport/device-transport.js';
import { type Group } from './simulation-context.js';

/** How reports and sent values reach the server. */
export type ReportTransport = Pick<DeviceTransport, 'isOpen' | 'notify' | 'request'>;

/** The device whose values are reported. */
export interface Reporting {
  readonly name: string;
  readonly group: Group;
  readonly store: ObjectStore;
  readonly transport: ReportTransport;
  nowMs(): number;
  /** A value was not acknowledged, because of this error if there was one. */
  unacknowledged(error?: unknown): void;
}

const single = (values: readonly ResourceValue[]): ResourceValue | undefined =>
  values.length === 1 ? values[0] : undefined;

/** The observations of a device, and its notifications. */
export class Reports {
  private readonly watches: Watch[] = [];

  constructor(private readonly device: Reporting) {}

  /** Whether a notification waits for its acknowledgement. */
  get isSending(): boolean {
    return this.watches.some(({ busy }) => busy);
  }

  watch(request: ObserveRequest): void {
    const key = watchKey(request);
    this.endWatch(this.watches.find((watch) => watchKey(watch) === key));
    const measured = request.paths.some((path) => this.device.store.below(path).some((resource) => resource.measured));
    const token = Buffer.from(request.token);
    const state = { measured, number: 0, busy: false, outdated: false, turnIndex: -1 };
    const watch: Watch = { ...request, token, ...state, device: this };
    this.watches.push(watch);
    this.device.group.watches.add(watch);
    if (this.device.store.hasAttributes || watch.attributes)
      this.awaitMaximum(watch, this.ruleOf(watch), this.attributesOf(watch));
  }

  unwatch(request: ObservationId): void {
    this.forget(this.watches.find((watch) => watchKey(watch) === watchKey(request)));
  }

  /** The server has reset a notification. */
  reset(token: Buffer): void {
    this.forget(this.watches.find((watch) => watch.token.equals(token)));
  }

  clear(): void {
    for (const watch of [...this.watches]) this.endWatch(watch);
  }

  /** Notifies the observers of resources whose values have changed. */
  changed(paths: readonly string[]): void {
    for (const watch of [...this.watches])
      if (paths.some((path) => watch.paths.some((watched) => watched === '/' || covers(watched, path))))
        void this.report(watch);
  }

  /** Applies new attributes: their periods hold from now on, also for existing observations, in place of earlier ones. */
  attributesChanged(path: string): void {
    for (const watch of this.watches)
      if (covers(path, watch.paths[0] ?? '/')) {
        const [rule, attributes, isWaiting] = [this.ruleOf(watch), this.attributesOf(watch), watch.hasValue];
        this.cancelTimer(watch);
        if (isWaiting) this.awaitMinimum(watch, rule.untilMinimumMs(attributes, this.device.nowMs()));
        // For a notification in flight, the period begins when that has ended.
        if (!watch.busy) this.awaitMaximum(watch, rule, attributes);
      }
  }

  /** Called when the device is awake: sends what it measured while it slept, or else what it measures now. */
  wake(): void {
    for (const watch of [...this.watches]) {
      void (watch.history ? this.sendHistory(watch) : this.report(watch));
      // A maximum period that ended while the device slept is over now.
      if (watch.rule && !watch.busy && !watch.timer && this.watches.includes(watch))
        this.awaitMaximum(watch, watch.rule, this.attributesOf(watch));
    }
  }

  /** Called when the values of an observation have been measured again. */
  async report(watch: Watch): Promise<void> {
    const { store, transport, group } = this.device;
    if (watch.busy) {
      watch.outdated = true;
      return;
    }
    if (watch.turnIndex === -1 && !this.watches.includes(watch)) return;
    const attributes = this.attributesOf(watch);
    const values = store.values(watch.paths);
    if (!this.mayReport(watch, values, attributes)) return;
    if (transport.isOpen && !watch.history) await this.notify(watch, this.numbered(watch, values), attributes);
    else if (group.settings.queueMode) this.keep(watch, this.numbered(watch, values), attributes);
    else group.tally.count('value-held-back');
  }

  /** Replaces measured values by values that count up, if the group has these. */
  private numbered(watch: Watch, values: ResourceValue[]): ResourceValue[] {
    const { group, name } = this.device;
    const value = single(values);
    if (!group.settings.numberedValues || !watch.measured || !value) return values;
    const number = group.context.numbered?.nextValue(name, value.path);
    return number === undefined ? values : [{ ...value, value: number }];
  }

  private mayReport(watch: Watch, values: readonly ResourceValue[], attributes: Attributes): boolean {
    if (!watch.rule && Object.keys(attributes).length === 0) return true;
    const rule = this.ruleOf(watch);
    const decision = rule.decide(single(values)?.value, attributes, this.device.nowMs());
    if (decision === 'notify') return true;
    if (decision !== 'ignore') this.awaitMinimum(watch, decision.waitMs);
    return false;
  }

  private ruleOf(watch: Watch): NotificationRule {
    const { store } = this.device;
    return (watch.rule ??= new NotificationRule(single(store.values(watch.paths))?.value, this.device.nowMs()));
  }

  private attributesOf({ paths, attributes }: Watch): Attributes {
    const { store } = this.device;
    const written = store.hasAttributes ? store.attributesFor(paths[0] ?? '/') : {};
    return { ...written, ...attributes };
  }

  /** Schedules a notification at the end of the minimum or the maximum period. Only the earlier one is kept. */
  private schedule(watch: Watch, delayMs: number): void {
    const dueMs = this.device.nowMs() + delayMs;
    if (watch.timer && (watch.dueMs ?? dueMs) <= dueMs) return;
    watch.timer?.cancel();
    watch.dueMs = dueMs;
    watch.timer = this.device.group.context.timers.schedule(delayMs, () => {
      this.cancelTimer(watch);
      const values = this.device.store.values(watch.paths);
      const isPossible = this.device.transport.isOpen && !watch.busy && !watch.history;
      if (isPossible) void this.notify(watch, this.numbered(watch, values), this.attributesOf(watch));
    });
  }

  private cancelTimer(watch: Watch): void {
    watch.timer?.cancel();
    delete watch.timer;
    delete watch.hasValue;
  }

  private awaitMinimum(watch: Watch, delayMs: number): void {
    watch.hasValue = true;
    this.schedule(watch, delayMs);
  }

  private awaitMaximum(watch: Watch, rule: NotificationRule, attributes: Attributes): void {
    const delayMs = rule.untilMaximumMs(attributes, this.device.nowMs());
    if (delayMs !== undefined) this.schedule(watch, delayMs);
  }

  /** Keeps up to `hqmax` values that cannot be reported now, because the device sleeps or older values go first. */
  private keep(watch: Watch, values: ResourceValue[], { hqmax }: Attributes): void {
    const { group } = this.device;
    const timeMs = this.device.nowMs();
    const history = (watch.history ??= []);
    history.push(values.map((value) => ({ ...value, timeMs })));
    group.tally.count('value-kept');
    if (history.length <= (hqmax ?? group.settings.keptValues)) return;
    history.shift();
    group.tally.count('value-dropped');
  }

  /** Sends the values that were kept, in the order of measurement. Values that are measured meanwhile follow them. */
  private async sendHistory(watch: Watch): Promise<void> {
    const attributes = this.attributesOf(watch);
    while (watch.history && !watch.busy) {
      const { history } = watch;
      const sent = history.splice(0, isTimed(watch.accept) ? history.length : 1);
      if (!(await this.notify(watch, sent.flat(), attributes))) {
        history.unshift(...sent);
        return;
      }
      if (history.length === 0) delete watch.history;
    }
  }

  /** @returns Whether the values were sent, and for a confirmable notification whether they were acknowledged. */
  private async notify(watch: Watch, values: ResourceValue[], attributes: Attributes): Promise<boolean> {
    const { group, transport, name } = this.device;
    const encoded = this.encoded(watch, values);
    if (!encoded) return false;
    this.cancelTimer(watch);
    watch.busy = true;
    watch.number = (watch.number + 1) & 0xff_ffff;
    const { settings, tally, context } = group;
    const sentAt = performance.now();
    try {
      const outcome = await transport.notify({
        ...encoded,
        token: watch.token,
        observeNumber: watch.number,
        confirmable: attributes.con === undefined ? settings.confirmable : attributes.con === 1,
        ackTimeoutMs: settings.ackTimeoutMs,
        maxRetransmit: settings.retransmissions,
      });
      if (outcome === 'reset') this.forget(watch);
      else if (outcome === 'timed-out') this.device.unacknowledged();
      else {
        tally.count('value-sent');
        if (outcome === 'sent') return true;
        tally.recordLatency('value', performance.now() - sentAt);
        for (const { path, value } of values)
          if (typeof value === 'number') context.numbered?.acknowledged(name, path, value);
        return true;
      }
    } catch (error) {
      this.device.unacknowledged(error);
    } finally {
      watch.busy = false;
      this.afterNotify(watch, values);
    }
    return false;
  }

  /**
   * The content of a notification; undefined if it cannot be sent. An observation ends when its format cannot carry the
   * values, as text cannot once the observed resource is deleted.
   */
  private encoded(watch: Watch, values: readonly ResourceValue[]): Encoded | undefined {
    const { formats } = this.device.store.catalogue;
    try {
      return encodeFor({ base: watch.isComposite ? undefined : watch.paths[0], accept: watch.accept, formats }, values);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.endWatch(watch);
      return undefined;
    }
  }

  private afterNotify(watch: Watch, values: readonly ResourceValue[]): void {
    if (watch.rule) {
      watch.rule.sent(single(values)?.value, this.device.nowMs());
      if (this.watches.includes(watch)) this.awaitMaximum(watch, watch.rule, this.attributesOf(watch));
    }
    if (!watch.outdated) return;
    watch.outdated = false;
    void this.report(watch);
  }

  /** Ends an observation because the server has cancelled it. */
  private forget(watch: Watch | undefined): void {
    if (watch) this.device.group.tally.count('observation-reset');
    this.endWatch(watch);
  }

  private endWatch(watch: Watch | undefined): void {
    const at = watch ? this.watches.indexOf(watch) : -1;
    if (!watch || at < 0) return;
    watch.timer?.cancel();
    for (const _ of watch.history ?? []) this.device.group.tally.count('value-dropped');
    this.watches.splice(at, 1);
    this.device.group.watches.remove(watch);
  }
}
