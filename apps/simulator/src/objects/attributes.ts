import { type ResourceType } from '@lanyard/lwm2m';
import { type Version } from '../settings/group.js';

/** Attributes that the server writes (LwM2M 1.2 core §7.3.2). */
const names = {
  '1.0': ['pmin', 'pmax', 'gt', 'lt', 'st'],
  '1.1': ['epmin', 'epmax'],
  '1.2': ['edge', 'con', 'hqmax'],
} as const;

export type AttributeName = (typeof names)[Version][number];
export type Attributes = Partial<Record<AttributeName, number>>;

const namesOf = (version: Version): readonly string[] =>
  Object.entries(names).flatMap(([since, list]) => (since <= version ? list : []));

const numeric: readonly ResourceType[] = ['integer', 'unsigned', 'float', 'time'];
const ofNumbers = ['gt', 'lt', 'st'];
const ofFlags = ['edge', 'con'];

const isNumberFor = (name: string, value: number): boolean => {
  if (ofFlags.includes(name)) return value === 0 || value === 1;
  if (ofNumbers.includes(name)) return Number.isFinite(value) && (name !== 'st' || value > 0);
  return Number.isInteger(value) && value >= 0;
};

/** `undefined` clears an attribute. */
export type AttributeChanges = Partial<Record<AttributeName, number | undefined>>;

/** Reads the query of a Write-Attributes. undefined when a device of this version does not understand it. */
export const parseAttributes = (query: readonly string[], version: Version): AttributeChanges | undefined => {
  const changes: Record<string, number | undefined> = {};
  for (const part of query) {
    const [name = '', text] = part.split('=', 2);
    if (!namesOf(version).includes(name)) return undefined;
    const value = text === undefined || text === '' ? undefined : Number(text);
    if (value !== undefined && !isNumberFor(name, value)) return undefined;
    changes[name] = value;
  }
  return changes;
};

/** The attributes without those that are cleared. */
export const withoutCleared = (changes: AttributeChanges): Attributes =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Attributes;

/** Whether the attributes fit each other and the type of the resource, which is undefined for an instance or an object (§7.3.2). */
export const areConsistent = ({ gt, lt, st, edge }: Attributes, type: ResourceType | undefined): boolean => {
  if (gt !== undefined || lt !== undefined || st !== undefined) {
    if (type === undefined || !numeric.includes(type)) return false;
    if (gt !== undefined && lt !== undefined && lt + 2 * (st ?? 0) >= gt) return false;
  }
  return edge === undefined || type === 'boolean';
};

/** The attributes as Discover shows them. */
export const formatAttributes = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `;${name}=${value}`)
    .join('');
