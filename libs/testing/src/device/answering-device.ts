import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import { type DeviceObservers, togetherKey } from './device-observers.js';
import {
  type DeviceResource,
  encodeAs,
  type EncodedValue,
  encodePack,
  linkFormat,
  type ResourceValue,
} from './device-resource.js';

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

/** The responses of a device to requests of the server, and its observers. */
export abstract class AnsweringDevice {
  /** By path `/object/instance/resource`. */
  readonly resources = new Map<string, DeviceResource>();
  readonly received: ReceivedRequest[] = [];
  /** Called for POST on an object and DELETE on an instance; without it 4.05. */
  onInstance?: (change: 'create' | 'delete', path: string, payload: Buffer) => void;
  /** The instance id with which it answers a Create; without one the answer names no instance. */
  createdInstance?: number;
  /** Runs before each answer, for example to delay it. */
  beforeAnswer?: (request: ReceivedRequest) => Promise<void> | void;

  /** Called for each resource that the server has written. */
  onWritten?: (path: string) => void;

  protected readonly observers: DeviceObservers = new Map();

  /** The current values of these paths and the paths below them; missing ones are omitted. */
  protected valuesOf(names: readonly string[]): (readonly [path: string, value: ResourceValue])[] {
    return [...this.resources].flatMap(([path, { read }]) =>
      read && names.some((name) => path === name || path.startsWith(`${name}/`)) ? [[path, read()] as const] : [],
    );
  }

  protected async answer(request: CoapRequest): Promise<CoapResponse> {
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
    const value = this.valueAt(path, request.accept);
    if (typeof value === 'number') return { code: value };
    const observable = this.resources.get(path)?.observable ?? true;
    if (request.observe === 0 && observable) {
      this.observers.set(path, { token: request.token, number: 0, accept: request.accept });
      return { code: Code.Content, ...value, observe: 0 };
    }
    if (request.observe === 1) this.observers.delete(path);
    return { code: Code.Content, ...value };
  }

  /** A value to answer with, or the code of the error. */
  private valueAt(path: string, accept?: number): EncodedValue | number {
    const resource = this.resources.get(path);
    if (resource && !resource.read) return Code.MethodNotAllowed;
    const values = this.valuesOf([path]);
    if (values.length === 0) return Code.NotFound;
    return encodeAs(accept, path, values) ?? Code.NotAcceptable;
  }

  /** The paths as a SenML JSON pack of names; missing ones are omitted. */
  private readComposite({ payload, observe, token }: CoapRequest): CoapResponse {
    const names = (JSON.parse(payload.toString()) as { n: string }[]).map(({ n }) => n);
    const answer = { code: Code.Content, ...encodePack(this.valuesOf(names)) };
    if (observe === 1) this.observers.delete(togetherKey(names));
    if (observe !== 0 || names.some((name) => this.resources.get(name)?.observable === false)) return answer;
    this.observers.set(togetherKey(names), { token, number: 0 });
    return { ...answer, observe: 0 };
  }

  private write(path: string, { query, payload, contentFormat }: CoapRequest): CoapResponse {
    const resource = this.resources.get(path);
    if (payload.length === 0 && query.length > 0)
      return { code: resource || this.valueAt(path) !== Code.NotFound ? Code.Changed : Code.NotFound };
    if (!resource) return { code: Code.NotFound };
    if (!resource.write) return { code: Code.MethodNotAllowed };
    try {
      resource.write(payload, contentFormat);
      this.onWritten?.(path);
      return { code: Code.Changed };
    } catch {
      return { code: Code.BadRequest };
    }
  }

  private async post(path: string, { payload, contentFormat }: CoapRequest): Promise<CoapResponse> {
    const depth = path.split('/').length - 1;
    if (depth === 1) return this.create(path, payload);
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
      const written = `${base}${record.n ?? ''}`.replace(/\/$/, '');
      const resource = this.resources.get(written);
      if (!resource?.write) return Code.NotFound;
      resource.write(Buffer.from(String(record.v ?? record.vs ?? record.vb ?? '')), 0);
      this.onWritten?.(written);
    }
    return Code.Changed;
  }

  private create(path: string, payload: Buffer): CoapResponse {
    const answer = this.instance('create', path, payload, Code.Created);
    if (answer.code !== Code.Created || this.createdInstance === undefined) return answer;
    return { ...answer, locationPath: [path.slice(1), String(this.createdInstance)] };
  }

  private instance(change: 'create' | 'delete', path: string, payload: Buffer, done: number): CoapResponse {
    if (!this.onInstance) return { code: Code.MethodNotAllowed };
    this.onInstance(change, path, payload);
    return { code: done };
  }
}
