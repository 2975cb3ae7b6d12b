/** The collections of fields that hold ids of other records; a body that is a list of ids is named by its schema. */
const collectionOf: Record<string, string> = {
  id: '/v3/devices',
  device_id: '/v3/devices',
  after: '/v3/devices',
  group_id: '/v3/device-groups',
  firmware_image_id: '/v3/firmware-images',
  groups: '/v3/policy-groups',
  KeyGroupIds: '/v3/policy-groups',
  apikeys: '/v3/api-keys',
  applications: '/v3/applications',
};

/** Records with the id of their key, which remains when they are deleted. */
const namedByKey = ['/v3/key-subscriptions', '/v3/channels'];

/** Ids in answers, by their collection, so that requests find records. */
export class KnownIds {
  private readonly byCollection = new Map<string, string[]>();

  constructor(
    /** Chooses one of several ids, which are in the order of arrival. */
    private readonly pick: (known: readonly string[]) => string,
    /** Ids that no request may name, because the test itself depends on their records. */
    private readonly untouchable: ReadonlySet<string>,
  ) {}

  /** Whether a field of this name holds an id of a record. */
  static isId(field: string): boolean {
    return Object.hasOwn(collectionOf, field);
  }

  /** Stores the ids in an answer of `path`: of a record, or of a list of records. */
  learn(path: string, body: unknown): void {
    if (typeof body !== 'object' || body === null) return;
    const { data } = body as { data?: unknown };
    for (const record of Array.isArray(data) ? data : [body]) {
      const { id, async_id: asyncId, reference } = record as Record<string, unknown>;
      const known = asyncId ?? reference ?? id;
      if (typeof known === 'string' && (namedByKey.includes(path) || !this.untouchable.has(known)))
        this.add(path, known);
    }
  }

  /** An id of the collection before the parameter: `/v3/devices` for `/v3/devices/{id}/echo`. */
  forParameter(path: string, name: string): string | undefined {
    const collection = /^device_?id$/i.test(name) ? '/v3/devices' : path.slice(0, path.indexOf(`/{${name}}`));
    return this.of(name === 'account' ? '/v3/accounts' : collection);
  }

  /** An id for a field of a body, or a parameter of a query. */
  forField(name: string): string | undefined {
    const collection = collectionOf[name];
    return collection === undefined ? undefined : this.of(collection);
  }

  of(collection: string): string | undefined {
    const known = this.byCollection.get(collection) ?? [];
    return known.length > 0 ? this.pick(known) : undefined;
  }

  /** Removes the record that a DELETE of `url` has deleted. */
  drop(path: string, url: string): void {
    const collection = /^(.*)\/\{\w+\}$/.exec(path)?.[1];
    const id = /\/([^/?]*)(\?|$)/.exec(url)?.[1];
    const known = collection === undefined ? undefined : this.byCollection.get(collection);
    if (collection !== undefined && known)
      this.byCollection.set(
        collection,
        known.filter((other) => encodeURIComponent(other) !== id),
      );
  }

  /** Forgets all ids, because their account is no longer used. */
  forget(): void {
    this.byCollection.clear();
  }

  add(collection: string, id: string): void {
    const known = this.byCollection.get(collection) ?? [];
    this.byCollection.set(collection, [...known.filter((other) => other !== id).slice(-20), id]);
  }
}
