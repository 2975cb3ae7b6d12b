import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import {
  decodeWriteComposite,
  formatScalar,
  Malformed,
  namesIn,
  standardModels,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import { compositeKey, type DeviceObservers, observedKey } from './device-observers.js';
import {
  defaultFormats,
  type DeviceResource,
  encodeAs,
  type EncodedValue,
  encodeTogether,
  linkFormat,
  type ResourceValue,
  textPlain,
} from './device-resource.js';

/** A request of the server. */
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

const models = standardModels();

/** In these formats, the payload of a write names the resources. */
const namingFormats: readonly number[] = [112, 11_544];

/** The responses of a device to requests of the server, and its observers. */
export abstract class AnsweringDevice {
  /** By path `/object/instance/resource`. */
  readonly resources = new Map<string, DeviceResource>();
  readonly received: ReceivedRequest[] = [];
  /** Called for POST on an object and DELETE on an instance; without a handler, the device answers 4.05. */
  onInstance?: (change: 'create' | 'delete', path: string, payload: Buffer) => void;
  /** The instance id in the answer to a Create; without it, the answer names no instance. */
  createdInstance?: number;
  /** Runs before each answer, for example to delay it. */
  beforeAnswer?: (request: ReceivedRequest) => Promise<void> | void;

  /** Called for each resource that the server has written. */
  onWritten?: (path: string) => void;

  protected readonly observers: DeviceObservers = new Map();

  /** What the server wrote with Write-Attributes, by path; Discover answers it. */
  private readonly attributes = new Map<string, Map<string, string>>();

  /** Content-Formats that it supports. */
  protected get formats(): readonly number[] {
    return defaultFormats;
  }

  /** Removes an instance with its resources; their observers get no message, as with most devices. */
  removeInstance(path: string): void {
    const isIn = (name: string): boolean => name === path || ['/', '?'].some((end) => name.startsWith(`${path}${end}`));
    for (const map of [this.resources, this.observers])
      for (const name of [...map.keys()]) if (isIn(name)) map.delete(name);
  }

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
        return this.changeInstance('delete', path, request.payload, Code.Deleted);
      case 'FETCH':
        return this.readComposite(request);
      case 'IPATCH':
        return { code: this.writeNamed(request.payload, request.contentFormat) };
    }
  }

  private discover(path: string): CoapResponse {
    const links = [...this.resources.keys()].filter((known) => known === path || known.startsWith(`${path}/`));
    if (links.length === 0) return { code: Code.NotFound };
    return {
      code: Code.Content,
      payload: Buffer.from(links.map((link) => `<${link}>${this.attributesOf(link)}`).join(',')),
      contentFormat: linkFormat,
    };
  }

  private attributesOf(path: string): string {
    return [...(this.attributes.get(path) ?? [])].map(([name, value]) => `;${name}=${value}`).join('');
  }

  /** An attribute without a value is cleared. */
  private writeAttributes(path: string, query: readonly string[]): CoapResponse {
    if (this.valuesOf([path]).length === 0) return { code: Code.NotFound };
    const attributes = this.attributes.get(path) ?? new Map<string, string>();
    for (const [name = '', value] of query.map((part) => part.split('=')))
      if (value) attributes.set(name, value);
      else attributes.delete(name);
    this.attributes.set(path, attributes);
    return { code: Code.Changed };
  }

  private read(path: string, request: CoapRequest): CoapResponse {
    const value = this.valueAt(path, request.accept);
    if (typeof value === 'number') return { code: value };
    const observable = this.resources.get(path)?.observable ?? true;
    const key = observedKey(path, request.query);
    if (request.observe === 0 && observable) {
      this.observers.set(key, { token: request.token, number: 0, accept: request.accept });
      return { code: Code.Content, ...value, observe: 0 };
    }
    if (request.observe === 1) this.observers.delete(key);
    return { code: Code.Content, ...value };
  }

  /** A value to answer with, or the code of an error. */
  private valueAt(path: string, accept?: number): EncodedValue | number {
    const resource = this.resources.get(path);
    if (resource && !resource.read) return Code.MethodNotAllowed;
    const values = this.valuesOf([path]);
    if (values.length === 0) return Code.NotFound;
    return encodeAs(accept, path, values, this.formats) ?? Code.NotAcceptable;
  }

  /** Reads the named paths; missing ones are omitted. */
  private readComposite({ payload, observe, token, accept, contentFormat = -1 }: CoapRequest): CoapResponse {
    if (!this.formats.includes(contentFormat)) return { code: Code.UnsupportedContentFormat };
    const names = namesIn(contentFormat, payload);
    const values = encodeTogether(accept, this.valuesOf(names), this.formats);
    if (!values) return { code: Code.NotAcceptable };
    const answer = { code: Code.Content, ...values };
    if (observe === 1) this.observers.delete(compositeKey(names));
    if (observe !== 0 || names.some((name) => this.resources.get(name)?.observable === false)) return answer;
    this.observers.set(compositeKey(names), { token, number: 0, accept });
    return { ...answer, observe: 0 };
  }

  private write(path: string, { query, payload, contentFormat }: CoapRequest): CoapResponse {
    const resource = this.resources.get(path);
    if (payload.length === 0 && query.length > 0) return this.writeAttributes(path, query);
    if (contentFormat !== undefined && namingFormats.includes(contentFormat))
      return { code: this.writeNamed(payload, contentFormat) };
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
          depth === 2 && this.valueAt(path) !== Code.NotFound ? this.writeNamed(payload, contentFormat) : Code.NotFound,
      };
    if (!resource.execute) return { code: Code.MethodNotAllowed };
    await resource.execute(payload.toString());
    return { code: Code.Changed };
  }

  /** Writes each resource that the payload names. */
  private writeNamed(payload: Buffer, contentFormat = -1): number {
    if (!this.formats.includes(contentFormat)) return Code.UnsupportedContentFormat;
    try {
      const values = decodeWriteComposite(contentFormat, payload, models);
      if (!values.every(({ path }) => this.resources.get(path)?.write)) return Code.NotFound;
      for (const { path, value } of values) {
        this.resources.get(path)?.write?.(Buffer.from(formatScalar(value)), textPlain);
        this.onWritten?.(path);
      }
      return Code.Changed;
    } catch (error) {
      if (error instanceof UnsupportedFormat) return Code.UnsupportedContentFormat;
      if (error instanceof Malformed) return Code.BadRequest;
      throw error;
    }
  }

  private create(path: string, payload: Buffer): CoapResponse {
    const answer = this.changeInstance('create', path, payload, Code.Created);
    if (answer.code !== Code.Created || this.createdInstance === undefined) return answer;
    return { ...answer, locationPath: [path.slice(1), String(this.createdInstance)] };
  }

  private changeInstance(change: 'create' | 'delete', path: string, payload: Buffer, done: number): CoapResponse {
    if (!this.onInstance) return { code: Code.MethodNotAllowed };
    this.onInstance(change, path, payload);
    return { code: done };
  }
}
