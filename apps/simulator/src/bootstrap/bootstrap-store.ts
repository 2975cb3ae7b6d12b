import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import {
  contentFormat,
  covers,
  decodeValues,
  encodeValues,
  isPath,
  Malformed,
  parsePath,
  type ResourceValue,
  type Scalar,
  standardModels,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import { type AccountResources } from './account.js';

/** Objects that bootstrap servers may write, and how many of their resources are stored at most. */
const objects: readonly number[] = [0, 1];
const resourcesMax = 200;

/** The instance of the Security object with the account of the bootstrap server itself. */
const bootstrapAccount = '/0/0';

const models = standardModels();

const isBelow = (path: string, base: string): boolean => base === '/' || covers(base, path);

/** The Security and Server objects of a device, as a bootstrap server reads and writes them (LwM2M 1.1 core §6.1.7). */
export class BootstrapStore {
  private readonly values = new Map<string, Scalar>();

  constructor(
    bootstrapUri: string,
    private readonly version: string,
  ) {
    this.values.set(`${bootstrapAccount}/0`, bootstrapUri).set(`${bootstrapAccount}/1`, true);
  }

  get resources(): AccountResources {
    return this.values;
  }

  answer({ method, path: segments, payload, accept, contentFormat: format }: CoapRequest): CoapResponse {
    const path = `/${segments.join('/')}`;
    if (path !== '/' && !isPath(path)) return { code: Code.NotFound };
    if (method === Code.DELETE) return this.delete(path);
    if (method === Code.PUT) return { code: this.write(path, payload, format ?? contentFormat.tlv) };
    if (method !== Code.GET) return { code: Code.MethodNotAllowed };
    return accept === contentFormat.linkFormat ? this.discover(path) : this.read(path, accept ?? contentFormat.tlv);
  }

  /** Stores a pack, or the payload of a write. @returns The response code. */
  write(path: string, payload: Buffer, format: number): number {
    const values = this.decoded(path, payload, format);
    if (typeof values === 'number') return values;
    const isPermitted = values.every(
      (value) => isBelow(value.path, path) && objects.includes(parsePath(value.path).object),
    );
    if (!isPermitted) return Code.BadRequest;
    if (this.values.size + values.length > resourcesMax) return Code.RequestEntityTooLarge;
    for (const { path: at, value } of values) this.values.set(at, value);
    return Code.Changed;
  }

  private decoded(path: string, payload: Buffer, format: number): ResourceValue[] | number {
    try {
      return decodeValues(format, payload, path === '/' ? '/0' : path, models);
    } catch (error) {
      if (error instanceof UnsupportedFormat) return Code.UnsupportedContentFormat;
      if (error instanceof Malformed) return Code.BadRequest;
      throw error;
    }
  }

  /** Deletes everything below the path except the account of the bootstrap server. */
  private delete(path: string): CoapResponse {
    const deleted = [...this.values.keys()].filter((at) => isBelow(at, path) && !isBelow(at, bootstrapAccount));
    if (deleted.length === 0 && path !== '/' && !objects.includes(parsePath(path).object))
      return { code: Code.NotFound };
    for (const at of deleted) this.values.delete(at);
    return { code: Code.Deleted };
  }

  private discover(path: string): CoapResponse {
    const instances = new Set([...this.values.keys()].map((at) => at.split('/', 3).join('/')));
    const links = [...instances]
      .filter((instance) => isBelow(instance, path))
      .map((instance) => {
        const isSecurity = instance.startsWith('/0/');
        const ssid = this.values.get(`${instance}/${isSecurity ? 10 : 0}`);
        const hasId = typeof ssid === 'number' && instance !== bootstrapAccount;
        return `<${instance}>${hasId ? `;ssid=${ssid}` : ''}`;
      });
    const root = this.version === '1.0' ? 'lwm2m="1.0"' : `</>;lwm2m=${this.version}`;
    const payload = Buffer.from([root, ...links].join(','));
    return { code: Code.Content, payload, contentFormat: contentFormat.linkFormat };
  }

  /** Bootstrap-Read, which is allowed for the Server object only (LwM2M 1.1 core §6.1.7.3). */
  private read(path: string, format: number): CoapResponse {
    if (path === '/' || parsePath(path).object !== 1) return { code: Code.MethodNotAllowed };
    const values = [...this.values].flatMap(([at, value]): ResourceValue[] => {
      const { object, resource } = parsePath(at);
      const type = models.resource(object, resource ?? 0)?.type ?? 'string';
      return isBelow(at, path) ? [{ path: at, value, type }] : [];
    });
    if (values.length === 0) return { code: Code.NotFound };
    return { code: Code.Content, payload: encodeValues(format, path, values), contentFormat: format };
  }
}
