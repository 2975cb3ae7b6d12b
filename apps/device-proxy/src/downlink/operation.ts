import { contentFormat } from '@lanyard/lwm2m';
import { formatOf } from './formats.js';

/** The LwM2M operation of a command (LwM2M 1.1 core §6.3). */
export type Operation =
  | 'read'
  | 'discover'
  | 'write'
  | 'write-partial'
  | 'write-attributes'
  | 'execute'
  | 'create'
  | 'delete'
  | 'observe'
  | 'observe-composite'
  | 'read-composite'
  | 'write-composite';

export interface CommandRequest {
  kind: 'device-request' | 'endpoint' | 'subscription' | 'campaign';
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'FETCH' | 'IPATCH';
  path: string;
  query: readonly string[];
  accept: string | null;
  payload: Buffer | null;
}

const hasPayload = (request: CommandRequest): boolean => request.payload !== null && request.payload.length > 0;

const operationOfPost = (path: string): Operation => {
  const depth = path.split('/').length - 1;
  if (depth === 1) return 'create';
  return depth === 2 ? 'write-partial' : 'execute';
};

/** A PUT with a query and no payload sets write attributes (spec §4.3); the operation of a POST depends on its target. */
export const operationOf = (request: CommandRequest): Operation => {
  if (request.kind === 'subscription') return request.method === 'FETCH' ? 'observe-composite' : 'observe';
  switch (request.method) {
    case 'GET':
      return request.accept !== null && formatOf(request.accept) === contentFormat.linkFormat ? 'discover' : 'read';
    case 'PUT':
      return request.query.length > 0 && !hasPayload(request) ? 'write-attributes' : 'write';
    case 'POST':
      return operationOfPost(request.path);
    case 'DELETE':
      return 'delete';
    case 'FETCH':
      return 'read-composite';
    case 'IPATCH':
      return 'write-composite';
  }
};

/** Whether the operation is idempotent. Any other operation is never sent again if its answer is missing. */
export const isRepeatable = (operation: Operation): boolean => !['execute', 'create', 'delete'].includes(operation);

/** Whether the operation reads: the answer contains values, and nothing changes on the device. */
export const bringsValues = (operation: Operation): boolean =>
  ['read', 'read-composite', 'observe', 'observe-composite'].includes(operation);

/** Whether the operation is safe: it does not change the device. */
export const bringsNoChange = (operation: Operation): boolean => bringsValues(operation) || operation === 'discover';

/** Whether a value is written: the snapshot keeps it as the desired value (spec §3.2). */
export const writesValue = (operation: Operation): boolean =>
  ['write', 'write-partial', 'write-composite'].includes(operation);

/** Whether the operation has several paths at once; since LwM2M 1.1 (LwM2M 1.1 core §6.3.8, §6.3.9, §6.4.4). */
export const isComposite = (operation: Operation): boolean =>
  operation === 'read-composite' || operation === 'write-composite' || operation === 'observe-composite';
