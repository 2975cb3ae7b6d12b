/** The part of an OpenAPI 3.1 document that is read and written here. */
export type JsonSchema = { [key: string]: unknown };

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: JsonSchema;
  style?: string;
  explode?: boolean;
  example?: unknown;
}

export interface MediaType {
  schema?: JsonSchema;
  example?: unknown;
}

export interface ResponseObject {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
  security?: Record<string, string[]>[];
  /** What the guard requires: `Public`, `AnyKey`, `RequiresPermission`. */
  'x-permission'?: string;
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Record<string, JsonSchema>;
    headers?: Record<string, object>;
  };
}
