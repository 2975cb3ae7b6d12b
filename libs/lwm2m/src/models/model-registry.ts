import type { ResourceType } from '../values/value.js';

/** Operations of a resource: R read, W write, E execute. */
export type Operations = 'R' | 'W' | 'RW' | 'E' | '';

export interface ResourceModel {
  name: string;
  type: ResourceType;
  operations: Operations;
  multiple: boolean;
  /** As the object definition names it: `Cel`, `%`, `s`. Absent if the resource has none, or the instance reports its own (5701). */
  unit?: string;
}

export interface ObjectModel {
  object: number;
  /** Object version; absent in the standard models, which apply to every version. */
  version?: string;
  name: string;
  resources: ReadonlyMap<number, ResourceModel>;
}

/** One resource a line: `id name type operations`, with `*` behind the type for a multiple resource, then the unit if it has one. */
const linePattern =
  /^(\d+) (.+) (string|integer|unsigned|float|boolean|opaque|time|objlnk|corelnk|none)(\*?) (R|W|RW|E|-)(?: (\S+))?$/;

/** Reads the compact tables beside this file. Throws for a line of another form. */
export const objectModel = (object: number, name: string, table: string): ObjectModel => ({
  object,
  name,
  resources: new Map(
    table
      .trim()
      .split('\n')
      .map((line): [number, ResourceModel] => {
        const match = linePattern.exec(line.trim());
        if (!match) throw new Error(`object ${object}: "${line}" is no resource`);
        const [, id, resource, type, many, operations, unit] = match as unknown as [
          string,
          string,
          string,
          ResourceType,
          string,
          string,
          string | undefined,
        ];
        return [
          Number(id),
          {
            name: resource,
            type,
            multiple: many === '*',
            operations: operations === '-' ? '' : (operations as Operations),
            ...(unit !== undefined && { unit }),
          },
        ];
      }),
  ),
});

/** Types of resources, for the formats that carry none (TLV, text). */
export class ModelRegistry {
  private readonly objects = new Map<number, ObjectModel>();

  /** `fallback` answers for objects that are not in this registry. */
  constructor(
    models: readonly ObjectModel[] = [],
    private readonly fallback?: ModelRegistry,
  ) {
    for (const model of models) this.add(model);
  }

  /** Replaces a model of the same object id. */
  add(model: ObjectModel): void {
    this.objects.set(model.object, model);
  }

  object(object: number): ObjectModel | undefined {
    return this.objects.get(object) ?? this.fallback?.object(object);
  }

  resource(object: number, resource: number): ResourceModel | undefined {
    return this.object(object)?.resources.get(resource);
  }
}
