import { readFileSync } from 'node:fs';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  readOnly?: boolean;
  'x-ignored'?: boolean;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
  /** The value that the page for trying operations prefills. */
  example?: unknown;
}

type Content = Record<string, { schema?: Schema; example?: unknown }>;

export interface Answer {
  $ref?: string;
  content?: Content;
}

export interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  body: { required: boolean; content: Content } | undefined;
  responses: Record<string, Answer>;
}

interface Item {
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Answer>;
}

export interface Document {
  paths: Record<string, Record<string, Item>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> };
}

export const committedDocument = (): Document =>
  JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as Document;

export const operationsOf = (document: Document): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], requestBody, responses }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody,
      responses,
    })),
  );

/** The object that a reference points to. */
export const resolved = <T extends { $ref?: string }>(document: Document, value: T): T => {
  if (value.$ref === undefined) return value;
  const [, , kind, name] = value.$ref.split('/') as [string, string, 'schemas' | 'responses', string];
  return document.components[kind][name] as unknown as T;
};

/** Name of the component that a schema refers to, or ''. */
export const nameOf = ({ $ref = '' }: Schema): string => $ref.slice($ref.lastIndexOf('/') + 1);
