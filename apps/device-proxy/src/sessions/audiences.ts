import { pathAndParents } from '@lanyard/lwm2m';
import { targetKey } from './observations.js';

/** A subscription of a key, as far as it decides who receives a value. */
interface Row {
  path: string;
  keyId: string;
  /** The id of the command that requested the composite observation; null for a single path. */
  together: string | null;
  /** Attributes of the observation, if it has any. */
  attributes: string | null;
  origin: 'resource' | 'presubscription';
  status: 'asked' | 'confirmed';
}

const none: readonly string[] = [];

/** A subscription made by a call awaits its answer, which precedes all values. A rule awaits none. */
const awaitsAnswer = ({ origin, status }: Row): boolean => origin === 'resource' && status === 'asked';

/** The path alone says which values the key gets. */
const isPlain = ({ together, attributes }: Row): boolean => together === null && attributes === null;

const keysBy = (rows: readonly Row[], nameOf: (row: Row) => string): ReadonlyMap<string, readonly string[]> => {
  const keys = new Map<string, string[]>();
  for (const row of rows) keys.set(nameOf(row), [...(keys.get(nameOf(row)) ?? []), row.keyId]);
  return keys;
};

/** The subscriptions to a device. */
export class Audience {
  /** By path. */
  private readonly all: ReadonlyMap<string, readonly string[]>;
  /** By `targetKey`. */
  private readonly single: ReadonlyMap<string, readonly string[]>;
  /** Composite observations with their keys, by command. */
  private readonly composites = new Map<string, { keyId: string; paths: Set<string> }>();

  constructor(rows: readonly Row[]) {
    const answered = rows.filter((row) => !awaitsAnswer(row));
    this.all = keysBy(answered, ({ path }) => path);
    this.single = answered.every(isPlain)
      ? this.all
      : keysBy(
          answered.filter(({ together }) => together === null),
          targetKey,
        );
    for (const { path, keyId, together } of rows)
      if (together !== null)
        this.composites.set(together, { keyId, paths: (this.composites.get(together)?.paths ?? new Set()).add(path) });
  }

  /** Keys that observe the path by itself, not in a composite observation. @param key As `targetKey` returns it */
  singleSubscribers(key: string): readonly string[] {
    return this.single.get(key) ?? none;
  }

  /** The key that observes the path, or a parent of it, with the composite observation of the command `id`. */
  compositeSubscribers(id: string, path: string): readonly string[] {
    const composite = this.composites.get(id);
    return composite && pathAndParents(path).some((one) => composite.paths.has(one)) ? [composite.keyId] : none;
  }

  /** Keys that subscribed to the path in any way, for values outside observations. */
  subscribers(path: string): readonly string[] {
    return this.all.get(path) ?? none;
  }
}

/** Size of the cache; a fleet under rules has a handful of different audiences. */
const rememberedMax = 1_000;

export const emptyAudience = new Audience([]);

/** Audiences of devices. Whole fleets under the same rules share one. */
export class Audiences {
  private readonly remembered = new Map<string, Audience>();

  /** `all`: the subscriptions to one device, in the order of their paths and keys. */
  forRows(all: readonly Row[]): Audience {
    // A composite observation belongs to one device only.
    if (all.some(({ together }) => together !== null)) return new Audience(all);
    const rows = all.filter((row) => !awaitsAnswer(row));
    if (rows.length === 0) return emptyAudience;
    const text = rows.map((row) => `${targetKey(row)} ${row.keyId}`).join();
    const known = this.remembered.get(text);
    if (known) return known;
    const audience = new Audience(rows);
    if (this.remembered.size >= rememberedMax) this.remembered.clear();
    this.remembered.set(text, audience);
    return audience;
  }
}
