import type { Operations } from './generated/api.js';

/** Method and path as the document has them: `GET /v3/devices/{id}`. */
export type Operation = keyof Operations;

export type InputOf<K extends Operation> = Operations[K]['input'];

/** Parameters of an operation: values of its path, query, headers and body. Optional if nothing is required. */
export type Arguments<K extends Operation> =
  Record<string, never> extends InputOf<K>
    ? [input?: InputOf<K>, options?: CallOptions]
    : [InputOf<K>, options?: CallOptions];

/** The answer of an operation that succeeds. */
export type AnswerOf<K extends Operation> = Operations[K]['answer'];

/** Operations that answer with pages. */
export type ListOperation = {
  [K in Operation]: AnswerOf<K> extends { object: 'list'; data: unknown[]; has_more: boolean } ? K : never;
}[Operation];

/** One item of the answer of a list operation. */
export type ItemOf<K extends ListOperation> = AnswerOf<K> extends { data: (infer Item)[] } ? Item : never;

export interface CallOptions {
  signal?: AbortSignal;
  /** How long one attempt may take. */
  timeoutMs?: number;
  /** Attempts after the first. */
  retries?: number;
}

/** Any operation's input, for code that does not know which. */
export interface AnyInput {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  header?: Record<string, string | undefined>;
  body?: unknown;
}
