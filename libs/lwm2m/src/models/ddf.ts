import { Malformed } from '../errors.js';
import type { ResourceType } from '../values/value.js';
import type { ObjectModel, Operations, ResourceModel } from './model-registry.js';
import { parseXml, type XmlElement } from './xml.js';

/** An object definition as the OMA registry publishes it, with its version (`1.0` when it names none). */
export interface ObjectDefinition extends ObjectModel {
  version: string;
}

/** Limits of a definition: characters, and resources. */
export const definitionLengthMax = 262_144;
const definitionResourcesMax = 1_000;

const nameLengthMax = 128;
/** Units in older definitions may be prose: `Defined by "Units" resource`. */
const unitLengthMax = 16;

const broken = (problem: string): Malformed => new Malformed('ddf', problem);

/** LwM2M.xsd writes types with capitals; some vendors do not. A resource without a type is executable. */
const types = new Map<string, ResourceType>([
  ['string', 'string'],
  ['integer', 'integer'],
  ['unsigned integer', 'unsigned'],
  ['float', 'float'],
  ['boolean', 'boolean'],
  ['opaque', 'opaque'],
  ['time', 'time'],
  ['objlnk', 'objlnk'],
  ['corelnk', 'corelnk'],
  ['', 'none'],
]);

const operations = new Set<string>(['R', 'W', 'RW', 'E', '']);

const child = (element: XmlElement, name: string): XmlElement | undefined =>
  element.children.find((one) => one.name === name);

const textOf = (element: XmlElement, name: string): string => child(element, name)?.text ?? '';

const nameOf = (element: XmlElement, what: string): string => {
  const name = textOf(element, 'Name').replace(/\s+/g, ' ');
  if (name === '' || name.length > nameLengthMax) throw broken(`${what} has no name of 1 to ${nameLengthMax} letters`);
  return name;
};

/** 65535 is reserved (LwM2M 1.1 core §7.2). */
const idOf = (text: string, what: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_534) throw broken(`${what} has no id from 0 to 65534`);
  return Number(text);
};

const resourceOf = (item: XmlElement): [number, ResourceModel] => {
  const id = idOf(item.attributes.get('ID') ?? '', 'an Item');
  const type = types.get(textOf(item, 'Type').toLowerCase());
  if (!type) throw broken(`resource ${id} is of an unknown Type`);
  const allowed = textOf(item, 'Operations').toUpperCase();
  if (!operations.has(allowed)) throw broken(`resource ${id} has unknown Operations`);
  const multiple = textOf(item, 'MultipleInstances').toLowerCase() === 'multiple';
  const unit = textOf(item, 'Units');
  const described = { name: nameOf(item, `resource ${id}`), type, operations: allowed as Operations, multiple };
  return [id, { ...described, ...(unit !== '' && unit.length <= unitLengthMax && { unit }) }];
};

const resourcesOf = (object: XmlElement): Map<number, ResourceModel> => {
  const items = child(object, 'Resources')?.children.filter(({ name }) => name === 'Item') ?? [];
  if (items.length > definitionResourcesMax) throw broken(`has more than ${definitionResourcesMax} resources`);
  const resources = new Map(items.map(resourceOf));
  if (resources.size < items.length) throw broken('has two resources of one id');
  return resources;
};

const versionOf = (object: XmlElement): string => {
  const version = textOf(object, 'ObjectVersion') || '1.0';
  if (!/^\d{1,3}\.\d{1,3}$/.test(version)) throw broken('has an ObjectVersion that is none');
  return version;
};

/** Reads an OMA object definition (`<LWM2M><Object>…`) that holds one object. Throws Malformed. */
export const parseDefinition = (xml: string): ObjectDefinition => {
  if (xml.length > definitionLengthMax) throw broken(`is longer than ${definitionLengthMax} characters`);
  const root = parseXml(xml);
  const objects = root.name === 'LWM2M' ? root.children.filter(({ name }) => name === 'Object') : [];
  const [object] = objects;
  if (!object || objects.length > 1) throw broken('is no LWM2M document with one Object');
  return {
    object: idOf(textOf(object, 'ObjectID'), 'the Object'),
    name: nameOf(object, 'the Object'),
    version: versionOf(object),
    resources: resourcesOf(object),
  };
};
