import { ModelRegistry, type ObjectModel } from './model-registry.js';
import { closestVersion, compareVersions, defaultObjectVersion, type ObjectVersions } from './object-versions.js';
import { standardModels } from './standard-models.js';

type Versioned = ObjectModel & { version: string };

/** The models that one account has uploaded: by object, in ascending order of their versions. */
interface Uploaded {
  byObject: Map<number, Versioned[]>;
  /** The registries for devices, by the object versions that the devices name. */
  registries: Map<string, ModelRegistry>;
}

/** Combinations of versions that are remembered for an account. */
const registriesMax = 1_000;

/** Models that accounts have uploaded, over the standard ones. */
export class AccountModels {
  private readonly standard = standardModels();
  private readonly uploaded = new Map<string, Uploaded>();

  /** Replaces the account's model of the same object and version. */
  put(accountId: string, model: ObjectModel): void {
    const versioned = { ...model, version: model.version ?? defaultObjectVersion };
    this.change(accountId, model.object, versioned.version, [versioned]);
  }

  drop(accountId: string, object: number, version: string): void {
    this.change(accountId, object, version, []);
  }

  /** The registry for a device that names these versions of its objects; other objects have the default version. */
  registryOf(accountId: string, versions?: ObjectVersions): ModelRegistry {
    const uploaded = this.uploaded.get(accountId);
    if (!uploaded) return this.standard;
    const { byObject, registries } = uploaded;
    const key = keyOf(byObject, versions);
    const known = registries.get(key);
    if (known) return known;
    const models = [...byObject].flatMap(([object, all]) => this.choose(all, object, versions?.[object]) ?? []);
    const registry = new ModelRegistry(models, this.standard);
    if (registries.size >= registriesMax) registries.clear();
    registries.set(key, registry);
    return registry;
  }

  /** A device that names no version gets any existing model if there is none of the default major version. */
  private choose(all: readonly Versioned[], object: number, named: string | undefined): Versioned | undefined {
    const closest = closestVersion(all, named ?? defaultObjectVersion);
    if (closest || named !== undefined || this.standard.object(object)) return closest;
    return all[0];
  }

  private change(accountId: string, object: number, version: string, put: readonly Versioned[]): void {
    const byObject = new Map(this.uploaded.get(accountId)?.byObject);
    const others = byObject.get(object)?.filter((one) => one.version !== version) ?? [];
    const all = [...others, ...put].sort((a, b) => compareVersions(a.version, b.version));
    if (all.length > 0) byObject.set(object, all);
    else byObject.delete(object);
    if (byObject.size > 0) this.uploaded.set(accountId, { byObject, registries: new Map() });
    else this.uploaded.delete(accountId);
  }
}

const keyOf = (byObject: ReadonlyMap<number, unknown>, versions: ObjectVersions | undefined): string => {
  let key = '';
  for (const object in versions) if (byObject.has(Number(object))) key += `${object}=${versions[object]},`;
  return key;
};
