/** Several paths in one observation (Observe-Composite, LwM2M 1.1 core §6.4.4). */
export interface CompositePaths {
  paths: readonly string[];
  /** Content-Format of the list of paths. */
  format: number;
}

/** An observation of one path, or a composite observation of several: which token its notifications carry. */
export interface Observation {
  /** For several paths: the id of the command that requested them. */
  path: string;
  /** Attributes of the request, as the query of its URI: they apply to this observation only (LwM2M 1.2 core §6.4.1). */
  attributes?: string | undefined;
  /** Hex. */
  token: string;
  /** The requested Content-Format, for later requests; null: none, because the device refused the default one. */
  accept?: number | null;
  /** The device observes this path by itself: the token is its own, and no request is needed. */
  auto?: boolean;
  /** Present for a composite observation. Stored in Redis under this name. */
  together?: CompositePaths;
}

export type Target = Omit<Observation, 'token' | 'auto'>;

/** Key of what can be observed once: a path, and the same path with each set of attributes (RFC 7641 §3.1: another target URI). */
export const targetKey = ({ path, attributes }: { path: string; attributes?: string | null | undefined }): string =>
  attributes ? `${path}?${attributes}` : path;

/** Whether the device accepts attributes in an observe request: new in LwM2M 1.2. */
export const takesAttributes = ({ lwm2mVersion }: { lwm2mVersion: string }): boolean => lwm2mVersion === '1.2';

/** Whether the device accepts operations on several paths at once: new in LwM2M 1.1. */
export const takesComposites = ({ lwm2mVersion }: { lwm2mVersion: string }): boolean => lwm2mVersion !== '1.0';

/** The attributes of a subscription, from the query of its command. */
export const attributesIn = (query: readonly string[]): string | undefined =>
  query.length === 0 ? undefined : query.join('&');

const none: readonly Observation[] = [];

/** The observations of one device, by `targetKey`. Most devices have few or none: a list takes a fraction of the memory of a Map. */
export class Observations {
  private list: readonly Observation[] = none;

  get(key: string): Observation | undefined {
    return this.list.find((one) => targetKey(one) === key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  withToken(token: string): Observation | undefined {
    return this.list.find((one) => one.token === token);
  }

  set({ path, attributes, token, accept, auto, together }: Observation): void {
    const key = targetKey({ path, attributes });
    // Listed property by property, and joined with `concat`: a copy made with `...` would reserve much more memory.
    const observation: Record<keyof Observation, unknown> & Observation = {
      path,
      attributes,
      token,
      accept,
      auto,
      together,
    };
    this.list = this.list.filter((one) => targetKey(one) !== key).concat(observation);
  }

  delete(key: string): void {
    const left = this.list.filter((one) => targetKey(one) !== key);
    this.list = left.length === 0 ? none : left.slice();
  }

  /** The current list, which later changes do not affect. */
  all(): readonly Observation[] {
    return this.list;
  }
}
