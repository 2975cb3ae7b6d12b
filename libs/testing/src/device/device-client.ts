import {
  Code,
  type CoapRequest,
  type CoapResponse,
  CoapUdpEndpoint,
  formatCode,
  type Peer,
  type ReceivedResponse,
} from '@lanyard/coap';
import { type DeviceResource, encodePack, encodeValue, linkFormat, type ResourceValue } from './device-resource.js';

export interface DeviceOptions {
  /** Endpoint name. */
  name: string;
  /** `coap://127.0.0.1:5683`; the host is a literal IP address. */
  server: string;
  lifetimeSeconds?: number;
  lwm2mVersion?: string;
  /** The device says that it sleeps. */
  queueMode?: boolean;
  /** Further parameters of the registration, for example `{ et: 'meter' }`. */
  parameters?: Record<string, string>;
  /** Takes the place of the list made from the resources. */
  links?: string;
  /** First retransmission of a message; short ones make tests quick. Default 300 ms. */
  ackTimeoutMs?: number;
}

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

/** The server does not observe the path (any more). */
export class NotObserved extends Error {}

/** What the server asked, in order. */
export interface ReceivedRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'FETCH' | 'IPATCH';
  path: string;
  query: string[];
  payload: string;
  contentFormat?: number;
  observe?: number;
  atMs: number;
}

const methods: Record<number, ReceivedRequest['method']> = {
  [Code.GET]: 'GET',
  [Code.PUT]: 'PUT',
  [Code.POST]: 'POST',
  [Code.DELETE]: 'DELETE',
  [Code.FETCH]: 'FETCH',
  [Code.IPATCH]: 'IPATCH',
};

/** Under what paths that are observed together are remembered. */
const togetherKey = (paths: readonly string[]): string => [...paths].sort().join(' ');

const instanceOf = (path: string): string => path.split('/').slice(0, 3).join('/');

/**
 * An LwM2M device, for tests and demonstrations: it registers, answers what the server asks and reports values. It
 * keeps reporting a value until the server acknowledges it, over any restart of the server.
 */
export class DeviceClient {
  /** By path `/object/instance/resource`. */
  readonly resources = new Map<string, DeviceResource>();
  readonly received: ReceivedRequest[] = [];
  /** Called for POST on an object and DELETE on an instance; without it 4.05. */
  onInstance?: (change: 'create' | 'delete', path: string, payload: Buffer) => void;
  /** Runs before each answer, for example to delay it. */
  beforeAnswer?: (request: ReceivedRequest) => Promise<void> | void;
  registrationId: string | undefined;
  private readonly observers = new Map<string, { token: Buffer; number: number }>();
  private readonly reports = new Map<string, Promise<unknown>>();
  private endpoint: CoapUdpEndpoint | undefined;
  private port = 0;
  private closed = false;

  private serverUrl: string;

  constructor(private readonly options: DeviceOptions) {
    this.serverUrl = options.server;
  }

  get name(): string {
    return this.options.name;
  }

  /** Local UDP port; 0 before the socket is open. */
  get localPort(): number {
    return this.port;
  }

  /** Opens the socket; at the same port as before unless `newAddress`. */
  async open({ newAddress = false } = {}): Promise<void> {
    if (this.endpoint) await this.sleep();
    this.endpoint = new CoapUdpEndpoint({
      host: '127.0.0.1',
      port: newAddress ? 0 : this.port,
      limits: { closeTimeoutMs: 50 },
      onRequest: (request) => this.answer(request),
    });
    this.port = (await this.endpoint.listen()).port;
  }

  /** Closes the socket: the device hears nothing. It remembers its registration and its observers. */
  async sleep(): Promise<void> {
    const endpoint = this.endpoint;
    this.endpoint = undefined;
    await endpoint?.close();
  }

  /** For good: reports that were not acknowledged give up. */
  async close(): Promise<void> {
    this.closed = true;
    await this.sleep();
  }

  /** Registers and returns the registration id. A device that registers has forgotten every observer. */
  async register(): Promise<string> {
    if (!this.endpoint) await this.open();
    this.observers.clear();
    const response = await this.request(
      Code.POST,
      ['rd'],
      this.registrationQuery(),
      Buffer.from(this.linkList()),
      linkFormat,
    );
    if (response.code !== Code.Created) throw new RequestRefused('register', formatCode(response.code));
    this.registrationId = response.locationPath?.at(-1);
    return this.registrationId ?? '';
  }

  /** Updates the registration; with `links`, tells its resources again. */
  async update({ lifetimeSeconds, links = false }: { lifetimeSeconds?: number; links?: boolean } = {}): Promise<void> {
    const query = lifetimeSeconds === undefined ? [] : [`lt=${lifetimeSeconds}`];
    const path = ['rd', this.registrationId ?? ''];
    const response = links
      ? await this.request(Code.POST, path, query, Buffer.from(this.linkList()), linkFormat)
      : await this.request(Code.POST, path, query);
    if (response.code !== Code.Changed) throw new RequestRefused('update', formatCode(response.code));
  }

  async deregister(): Promise<void> {
    const response = await this.request(Code.DELETE, ['rd', this.registrationId ?? ''], []);
    if (response.code !== Code.Deleted) throw new RequestRefused('deregister', formatCode(response.code));
    this.registrationId = undefined;
    this.observers.clear();
  }

  /** LwM2M Send: values nobody asked for. */
  async send(values: readonly (readonly [path: string, value: ResourceValue])[]): Promise<void> {
    const { payload, contentFormat } = encodePack(values);
    const response = await this.request(Code.POST, ['dp'], [], payload, contentFormat);
    if (response.code !== Code.Changed) throw new RequestRefused('send', formatCode(response.code));
  }

  /** Any request to the server, for what the methods above do not say. */
  async request(
    method: number,
    path: string[],
    query: string[],
    payload?: Buffer,
    contentFormat?: number,
  ): Promise<ReceivedResponse> {
    const endpoint = this.mustBeOpen();
    return endpoint.request(this.server(endpoint), {
      method,
      path,
      query,
      ...(payload && { payload }),
      ...(contentFormat !== undefined && { contentFormat }),
      ackTimeoutMs: this.ackTimeoutMs,
    });
  }

  /** Sends to another server from now on, with everything it knows: a balancer that changes its mind. */
  talkTo(server: string): void {
    this.serverUrl = server;
  }

  /** Reports the path from now on without having been asked, under the token that its link announced (`aobs`). */
  observeByItself(path: string, token: Buffer): void {
    this.observers.set(path, { token, number: 0 });
  }

  /** Tells the observer that the path is gone (4.04), which ends the observation. */
  async endObservation(path: string): Promise<void> {
    const observer = this.observers.get(path);
    const endpoint = this.mustBeOpen();
    if (!observer) throw new NotObserved(`${path} is not observed`);
    this.observers.delete(path);
    const message = { token: observer.token, code: Code.NotFound, payload: Buffer.alloc(0), confirmable: true };
    await endpoint.notify(this.server(endpoint), message);
  }

  isObserved(path: string): boolean {
    return this.observers.has(path);
  }

  /** Whether just these paths are observed in one observation. */
  areObserved(paths: readonly string[]): boolean {
    return this.observers.has(togetherKey(paths));
  }

  /** Tells the observer of these paths together what they are now, as `report` does. */
  reportTogether(paths: readonly string[]): Promise<void> {
    const key = togetherKey(paths);
    return this.inTurn(key, () => this.deliver(key, encodePack(this.valuesOf(paths))));
  }

  /**
   * Notifies the observer of the path with confirmable messages, again and again until it acknowledges. Reports of
   * one path go out one after the other. Throws NotObserved when nobody observes it or the server resets it.
   */
  report(path: string, value: ResourceValue): Promise<void> {
    return this.inTurn(path, () => this.deliver(path, encodeValue(value)));
  }

  private inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.reports.get(key) ?? Promise.resolve();
    const report = before.catch(() => undefined).then(work);
    this.reports.set(
      key,
      report.catch(() => undefined),
    );
    return report;
  }

  private async deliver(
    path: string,
    { payload, contentFormat }: { payload: Buffer; contentFormat: number },
  ): Promise<void> {
    const observer = this.observers.get(path);
    if (!observer) throw new NotObserved(`${path} is not observed`);
    const observeNumber = ++observer.number;
    while (!this.closed) {
      const endpoint = this.endpoint;
      if (!endpoint) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      const message = { token: observer.token, observeNumber, payload, contentFormat, confirmable: true };
      const outcome = await endpoint
        .notify(this.server(endpoint), { ...message, ackTimeoutMs: this.ackTimeoutMs, maxRetransmit: 2 })
        .catch(() => 'timed-out' as const);
      if (outcome === 'acknowledged') return;
      if (outcome === 'reset') {
        if (this.observers.get(path) === observer) this.observers.delete(path);
        throw new NotObserved(`${path}: the server reset the notification`);
      }
    }
    throw new NotObserved(`${path}: the device is closed`);
  }

  private get ackTimeoutMs(): number {
    return this.options.ackTimeoutMs ?? 300;
  }

  private mustBeOpen(): CoapUdpEndpoint {
    if (!this.endpoint) throw new Error(`${this.name} is asleep: open() first`);
    return this.endpoint;
  }

  private server(endpoint: CoapUdpEndpoint): Peer {
    const { hostname, port } = new URL(this.serverUrl.replace(/^coap:/, 'http:'));
    return endpoint.peer(hostname, Number(port || 5683));
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

  /** Instances, as LwM2M asks for; resources are found by reading. */
  private linkList(): string {
    if (this.options.links !== undefined) return this.options.links;
    const instances = [...new Set([...this.resources.keys()].map(instanceOf))];
    return ['</>;rt="oma.lwm2m";ct="0 42 110"', ...instances.map((path) => `<${path}>`)].join(',');
  }

  private async answer(request: CoapRequest): Promise<CoapResponse> {
    const path = `/${request.path.join('/')}`;
    const method = methods[request.method];
    if (!method) return { code: Code.MethodNotAllowed };
    const received: ReceivedRequest = {
      method,
      path,
      query: request.query,
      payload: request.payload.toString(),
      ...(request.contentFormat !== undefined && { contentFormat: request.contentFormat }),
      ...(request.observe !== undefined && { observe: request.observe }),
      atMs: Date.now(),
    };
    this.received.push(received);
    await this.beforeAnswer?.(received);
    switch (method) {
      case 'GET':
        return request.accept === linkFormat ? this.discover(path) : this.read(path, request);
      case 'PUT':
        return this.write(path, request);
      case 'POST':
        return this.post(path, request);
      case 'DELETE':
        return this.instance('delete', path, request.payload, Code.Deleted);
      case 'FETCH':
        return this.readComposite(request);
      case 'IPATCH':
        return { code: this.partial('', request.payload, request.contentFormat) };
    }
  }

  private discover(path: string): CoapResponse {
    const links = [...this.resources.keys()].filter((known) => known === path || known.startsWith(`${path}/`));
    if (links.length === 0) return { code: Code.NotFound };
    return {
      code: Code.Content,
      payload: Buffer.from(links.map((link) => `<${link}>`).join(',')),
      contentFormat: linkFormat,
    };
  }

  private read(path: string, request: CoapRequest): CoapResponse {
    const value = this.valueAt(path);
    if (typeof value === 'number') return { code: value };
    const observable = this.resources.get(path)?.observable ?? true;
    if (request.observe === 0 && observable) {
      this.observers.set(path, { token: request.token, number: 0 });
      return { code: Code.Content, ...value, observe: 0 };
    }
    if (request.observe === 1) this.observers.delete(path);
    return { code: Code.Content, ...value };
  }

  /** A value to answer with, or the code of the error. */
  private valueAt(path: string): { payload: Buffer; contentFormat: number } | number {
    const resource = this.resources.get(path);
    if (resource) return resource.read ? encodeValue(resource.read()) : Code.MethodNotAllowed;
    const below = [...this.resources].flatMap(([known, { read }]) =>
      known.startsWith(`${path}/`) && read ? [[known, read()] as const] : [],
    );
    return below.length > 0 ? encodePack(below) : Code.NotFound;
  }

  /** The paths as a SenML JSON pack of names; what is not there is left out. */
  private readComposite({ payload, observe, token }: CoapRequest): CoapResponse {
    const names = (JSON.parse(payload.toString()) as { n: string }[]).map(({ n }) => n);
    const answer = { code: Code.Content, ...encodePack(this.valuesOf(names)) };
    if (observe === 1) this.observers.delete(togetherKey(names));
    if (observe !== 0 || names.some((name) => this.resources.get(name)?.observable === false)) return answer;
    this.observers.set(togetherKey(names), { token, number: 0 });
    return { ...answer, observe: 0 };
  }

  private valuesOf(names: readonly string[]): (readonly [path: string, value: ResourceValue])[] {
    return [...this.resources].flatMap(([path, { read }]) =>
      read && names.some((name) => path === name || path.startsWith(`${name}/`)) ? [[path, read()] as const] : [],
    );
  }

  private write(path: string, { query, payload, contentFormat }: CoapRequest): CoapResponse {
    const resource = this.resources.get(path);
    if (payload.length === 0 && query.length > 0)
      return { code: resource || this.valueAt(path) !== Code.NotFound ? Code.Changed : Code.NotFound };
    if (!resource) return { code: Code.NotFound };
    if (!resource.write) return { code: Code.MethodNotAllowed };
    try {
      resource.write(payload, contentFormat);
      return { code: Code.Changed };
    } catch {
      return { code: Code.BadRequest };
    }
  }

  private async post(path: string, { payload, contentFormat }: CoapRequest): Promise<CoapResponse> {
    const depth = path.split('/').length - 1;
    if (depth === 1) return this.instance('create', path, payload, Code.Created);
    const resource = this.resources.get(path);
    if (!resource)
      return {
        code:
          depth === 2 && this.valueAt(path) !== Code.NotFound
            ? this.partial(path, payload, contentFormat)
            : Code.NotFound,
      };
    if (!resource.execute) return { code: Code.MethodNotAllowed };
    await resource.execute(payload.toString());
    return { code: Code.Changed };
  }

  /** A partial write: a SenML JSON pack of resources of the instance. */
  private partial(path: string, payload: Buffer, contentFormat: number | undefined): number {
    if (contentFormat !== 110) return Code.UnsupportedContentFormat;
    const records = JSON.parse(payload.toString()) as {
      bn?: string;
      n?: string;
      v?: number;
      vs?: string;
      vb?: boolean;
    }[];
    const base = records[0]?.bn ?? (path && `${path}/`);
    for (const record of records) {
      const resource = this.resources.get(`${base}${record.n ?? ''}`.replace(/\/$/, ''));
      if (!resource?.write) return Code.NotFound;
      resource.write(Buffer.from(String(record.v ?? record.vs ?? record.vb ?? '')), 0);
    }
    return Code.Changed;
  }

  private instance(change: 'create' | 'delete', path: string, payload: Buffer, done: number): CoapResponse {
    if (!this.onInstance) return { code: Code.MethodNotAllowed };
    this.onInstance(change, path, payload);
    return { code: done };
  }
}
