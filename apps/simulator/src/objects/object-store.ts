import { covers, parsePath, pathAndParents, type ResourceValue, type Scalar } from '@lanyard/lwm2m';
import { areConsistent, type AttributeChanges, type Attributes, withoutCleared } from './attributes.js';
import { type Catalogue } from './catalogue.js';
import { instanceOf, type Resource, type Thing } from './resource.js';

/** The most instances that servers can have created in a device at a time. */
const createdMax = 16;

/** What servers have changed in a device; most devices have no changes. */
interface Changes {
  written: Map<string, Scalar>;
  /** Resources by path of their instance. */
  created: Map<string, readonly Resource[]>;
  /** Paths of deleted instances of the catalogue. */
  deleted: Set<string>;
  attributes: Map<string, Attributes>;
}

/** The objects of one device: those of its group, with the changes that servers have made. */
export class ObjectStore {
  private changes: Changes | undefined;

  constructor(
    readonly catalogue: Catalogue,
    private readonly thing: Thing,
  ) {}

  get hasAttributes(): boolean {
    return (this.changes?.attributes.size ?? 0) > 0;
  }

  get(path: string): Resource | undefined {
    const resource = this.catalogue.get(path);
    if (!this.changes) return resource;
    return this.below(path).find((one) => one.path === path);
  }

  /** The resources at the path and below it; '/' stands for everything. */
  below(path: string): readonly Resource[] {
    const { catalogue, changes } = this;
    const base = path === '/' ? [...catalogue.all()] : catalogue.below(path);
    if (!changes) return base;
    const created = [...changes.created.values()].flat();
    return [
      ...base.filter((resource) => !changes.deleted.has(instanceOf(resource.path))),
      ...created.filter((resource) => path === '/' || covers(path, resource.path)),
    ];
  }

  /** The values of readable resources at these paths and below them, each once. */
  values(paths: readonly string[]): ResourceValue[] {
    const resources =
      paths.length === 1 ? this.below(paths[0] as string) : new Set(paths.flatMap((path) => this.below(path)));
    return [...resources].flatMap(({ path, type, read }) =>
      read ? [{ path, type, value: this.changes?.written.get(path) ?? read(this.thing) }] : [],
    );
  }

  instances(): string[] {
    return [...new Set([...this.below('/')].map(({ path }) => instanceOf(path)))];
  }

  write(path: string, value: Scalar): void {
    this.changed.written.set(path, value);
  }

  /** Gives the resources of the instance their initial values again. */
  resetInstance(path: string): void {
    for (const written of [...(this.changes?.written.keys() ?? [])])
      if (covers(path, written)) this.changes?.written.delete(written);
  }

  freeInstance(object: number): number {
    const taken = new Set(this.instances());
    let id = 0;
    while (taken.has(`/${object}/${id}`)) id++;
    return id;
  }

  /** False when there is no room. Servers must be allowed to create instances of the object. */
  create(path: string): boolean {
    const { changed } = this;
    if (changed.deleted.delete(path)) return true;
    const { object, instance = 0 } = parsePath(path);
    const resources = this.catalogue.patternOf(object, instance);
    if (!resources || changed.created.size >= createdMax) return false;
    changed.created.set(path, resources);
    return true;
  }

  /** Adds an instance that the device creates by itself. */
  put(path: string, resources: readonly Resource[]): void {
    this.changed.created.set(path, resources);
  }

  delete(path: string): void {
    const { changed } = this;
    this.resetInstance(path);
    for (const key of [...changed.attributes.keys()]) if (covers(path, key)) changed.attributes.delete(key);
    if (!changed.created.delete(path)) changed.deleted.add(path);
  }

  /** The attributes that are attached to exactly this path. */
  attributesAt(path: string): Attributes {
    return this.changes?.attributes.get(path) ?? {};
  }

  /** The attributes of the path; those that it does not have are inherited from the levels above. */
  attributesFor(path: string): Attributes {
    const levels = pathAndParents(path).reverse();
    return Object.assign({}, ...levels.map((level) => this.attributesAt(level))) as Attributes;
  }

  /** False when the attributes would contradict each other, or do not fit the resource. */
  changeAttributes(path: string, changes: AttributeChanges): boolean {
    const merged = withoutCleared({ ...this.attributesAt(path), ...changes });
    if (!areConsistent(merged, this.get(path)?.type)) return false;
    if (Object.keys(merged).length > 0) this.changed.attributes.set(path, merged);
    else this.changes?.attributes.delete(path);
    return true;
  }

  /** Servers write their attributes again when the device has registered. */
  clearAttributes(): void {
    this.changes?.attributes.clear();
  }

  /** Restores the state in which the device left the factory. */
  reset(): void {
    this.changes = undefined;
  }

  private get changed(): Changes {
    return (this.changes ??= { written: new Map(), created: new Map(), deleted: new Set(), attributes: new Map() });
  }
}
