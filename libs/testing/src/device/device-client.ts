import { type CoapDatagramEndpoint, Code, formatCode, type ReceivedResponse } from '@lanyard/coap';
import { AnsweringDevice } from './answering-device.js';
import { compositeKey, NotObserved, pathsIn } from './device-observers.js';
import type { DtlsLine } from './dtls-line.js';
import { type DeviceLine, lineTo } from './device-line.js';
import type { DeviceOptions } from './device-options.js';
import { DeviceReports } from './device-reports.js';
import {
  defaultFormats,
  encodeAs,
  type EncodedValue,
  encodePack,
  encodeTogether,
  encodeValue,
  linkFormat,
  type ResourceValue,
} from './device-resource.js';

/** The server answered with an error. */
export class RequestRefused extends Error {
  constructor(
    what: string,
    /** `4.03` */
    readonly code: string,
  ) {
    super(`${what}: ${code}`);
  }
}

const instanceOf = (path: string): string => path.split('/').slice(0, 3).join('/');

/**
 * An LwM2M device, for tests and demonstrations: it registers, answers the requests of the server and reports values. It
 * keeps reporting a value until the server acknowledges it, even if the server restarts.
 */
export class DeviceClient extends AnsweringDevice {
  registrationId: string | undefined;
  private readonly reports: DeviceReports;
  private readonly line: DeviceLine;
  private endpoint: CoapDatagramEndpoint | undefined;
  private port = 0;
  private closed = false;

  constructor(private readonly options: DeviceOptions) {
    super();
    this.line = lineTo(options);
    this.reports = new DeviceReports(this.observers, {
      socket: () =>
        this.endpoint && this.line.isOpen ? { endpoint: this.endpoint, server: this.line.server } : undefined,
      isClosed: () => this.closed,
      ackTimeoutMs: this.ackTimeoutMs,
    });
  }

  get name(): string {
    return this.options.name;
  }

  /** Local UDP port; 0 before the socket is open. */
  get localPort(): number {
    return this.dtls?.port ?? this.port;
  }

  /** The device's connection to a server at `coaps://`. It stays while the device sleeps, and when its address changes. */
  get dtls(): DtlsLine | undefined {
    return this.line.dtls;
  }

  /** Opens the socket; at the same port as before unless `newAddress`. */
  async open({ newAddress = false } = {}): Promise<void> {
    if (this.endpoint) await this.sleep();
    const opened = await this.line.open(newAddress ? 0 : this.localPort, (request) => this.answer(request));
    this.endpoint = opened.endpoint;
    this.port = opened.port;
  }

  /** Closes the socket: the device hears nothing. It remembers its registration and its observers. */
  async sleep(): Promise<void> {
    const endpoint = this.endpoint;
    this.endpoint = undefined;
    await endpoint?.close();
  }

  /** Closes permanently: reports that were not acknowledged reject with NotObserved. */
  async close(): Promise<void> {
    this.closed = true;
    this.dtls?.disconnect();
    await this.sleep();
  }

  /** Registers and returns the registration id. A device that registers has forgotten every observer. */
  async register(): Promise<string> {
    if (!this.endpoint) await this.open();
    this.observers.clear();
    const response = await this.request(Code.POST, ['rd'], this.registrationQuery(), this.linkBody());
    if (response.code !== Code.Created) throw new RequestRefused('register', formatCode(response.code));
    this.registrationId = response.locationPath?.at(-1);
    return this.registrationId ?? '';
  }

  /** Updates the registration; with `links`, it registers its resources again. */
  async update({ lifetimeSeconds, links = false }: { lifetimeSeconds?: number; links?: boolean } = {}): Promise<void> {
    const query = lifetimeSeconds === undefined ? [] : [`lt=${lifetimeSeconds}`];
    const path = ['rd', this.registrationId ?? ''];
    const response = await this.request(Code.POST, path, query, links ? this.linkBody() : {});
    if (response.code !== Code.Changed) throw new RequestRefused('update', formatCode(response.code));
  }

  async deregister(): Promise<void> {
    const response = await this.request(Code.DELETE, ['rd', this.registrationId ?? ''], []);
    if (response.code !== Code.Deleted) throw new RequestRefused('deregister', formatCode(response.code));
    this.registrationId = undefined;
    this.observers.clear();
  }

  /** LwM2M Send: values without an observation. */
  async send(values: readonly (readonly [path: string, value: ResourceValue])[]): Promise<void> {
    const { payload, contentFormat } = encodeTogether(undefined, values, this.formats) ?? encodePack(values);
    const response = await this.request(Code.POST, ['dp'], [], { payload, contentFormat });
    if (response.code !== Code.Changed) throw new RequestRefused('send', formatCode(response.code));
  }

  /** Sends any request to the server, for cases that the methods above do not cover. */
  async request(
    method: number,
    path: string[],
    query: string[],
    body: { payload?: Buffer; contentFormat?: number } = {},
  ): Promise<ReceivedResponse> {
    const endpoint = this.mustBeOpen();
    // The connection was closed, so the device makes a new handshake, as real devices do.
    if (!this.line.isOpen) await this.dtls?.connect();
    return endpoint.request(this.line.server, {
      method,
      path,
      query,
      ...body,
      ackTimeoutMs: this.ackTimeoutMs,
    });
  }

  /** Sends to another server from now on and keeps all state, as when a load balancer selects another server. */
  talkTo(server: string): void {
    this.line.talkTo(server);
  }

  /** From now on, reports the path without an Observe request, under the token that its link announced (`aobs`). */
  observeByItself(path: string, token: Buffer): void {
    this.observers.set(path, { token, number: 0 });
  }

  /** Notifies the observer that the path is gone (4.04), which ends the observation. */
  async endObservation(path: string): Promise<void> {
    const observer = this.observers.get(path);
    const endpoint = this.mustBeOpen();
    if (!observer) throw new NotObserved(`${path} is not observed`);
    this.observers.delete(path);
    const message = { token: observer.token, code: Code.NotFound, payload: Buffer.alloc(0), confirmable: true };
    await endpoint.notify(this.line.server, message);
  }

  isObserved(path: string): boolean {
    return this.observers.has(path);
  }

  /** Whether exactly these paths are observed together in one observation. */
  areObserved(paths: readonly string[]): boolean {
    return this.observers.has(compositeKey(paths));
  }

  /** Sends the current values of these paths to the observer of all of them together, as `report` does. */
  reportTogether(paths: readonly string[]): Promise<void> {
    return this.reports.inTurn(compositeKey(paths), () => this.currentValues(compositeKey(paths)));
  }

  /**
   * Notifies the observer of the path with confirmable messages, again and again until it acknowledges. Reports of
   * one path are sent one after the other. Throws NotObserved when the path is not observed or the server resets the report.
   */
  report(path: string, value: ResourceValue): Promise<void> {
    return this.reports.inTurn(path, () => encodeValue(value));
  }

  /**
   * Tells observers that a resource has another value: those of the resource, its instance or its object are notified of the
   * current state, in the format that they asked for. Returns what was observed; rejects with NotObserved when the server
   * has ended it.
   */
  async changed(path: string): Promise<string[]> {
    const covering = [...this.observers.keys()].filter((key) =>
      pathsIn(key).some((name) => path === name || path.startsWith(`${name}/`)),
    );
    await Promise.all(covering.map((key) => this.reports.inTurn(key, () => this.currentValues(key))));
    return covering;
  }

  private currentValues(key: string): EncodedValue {
    const [path = '', ...others] = pathsIn(key);
    const values = this.valuesOf([path, ...others]);
    const accept = this.observers.get(key)?.accept;
    const encoded =
      others.length > 0 ? encodeTogether(accept, values, this.formats) : encodeAs(accept, path, values, this.formats);
    return encoded ?? encodePack(values);
  }

  protected override get formats(): readonly number[] {
    return this.options.formats ?? defaultFormats;
  }

  private get ackTimeoutMs(): number {
    return this.options.ackTimeoutMs ?? 300;
  }

  private mustBeOpen(): CoapDatagramEndpoint {
    if (!this.endpoint) throw new Error(`${this.name} is asleep: open() first`);
    return this.endpoint;
  }

  private registrationQuery(): string[] {
    const { lifetimeSeconds = 300, lwm2mVersion = '1.1', queueMode = false, parameters = {} } = this.options;
    const version1 = lwm2mVersion === '1.0';
    return [
      `ep=${this.name}`,
      `lt=${lifetimeSeconds}`,
      `lwm2m=${lwm2mVersion}`,
      `b=U${queueMode && version1 ? 'Q' : ''}`,
      ...(queueMode && !version1 ? ['Q'] : []),
      ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`),
    ];
  }

  private linkBody(): { payload: Buffer; contentFormat: number } {
    return { payload: Buffer.from(this.linkList()), contentFormat: linkFormat };
  }

  /** Instances, as LwM2M asks for; with `listsResources` also their resources, and which of these can be observed. */
  private linkList(): string {
    const { links, listsResources = false } = this.options;
    if (links !== undefined) return links;
    const instances = [...new Set([...this.resources.keys()].map(instanceOf))];
    const root = `</>;rt="oma.lwm2m";ct="${this.formats.join(' ')}"`;
    if (!listsResources) return [root, ...instances.map((path) => `<${path}>`)].join(',');
    const resources = [...this.resources].map(
      ([path, { read, observable = read !== undefined }]) => `<${path}>${observable ? ';obs' : ''}`,
    );
    return [root, ...instances.map((path) => `<${path}>;obs`), ...resources].join(',');
  }
}
