import type { AnswerOf, CallOptions, InputOf, Operation } from '@lanyard/client/browser';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { lanyard } from './lanyard.ts';

type Call = (operation: Operation, input: unknown, options?: CallOptions) => Promise<unknown>;

const call = lanyard.call.bind(lanyard) as unknown as Call;

export interface ReadOptions {
  enabled?: boolean;
  /** How often it is read again. @public */
  everyMs?: number;
  /** Show the last answer while one for other parameters is on its way. */
  keeps?: boolean;
}

/** Reads by an operation of the API, typed by the OpenAPI document: `useRead('GET /v3/devices/{id}', { path: { id } })`. */
export const useRead = <K extends Operation>(
  operation: K,
  input: InputOf<K>,
  { enabled = true, everyMs, keeps = false }: ReadOptions = {},
) =>
  useQuery({
    queryKey: [operation, input],
    queryFn: ({ signal }) => call(operation, input, { signal }) as Promise<AnswerOf<K>>,
    enabled,
    refetchInterval: everyMs ?? false,
    placeholderData: keeps ? keepPreviousData : undefined,
  });

/**
 * Changes by an operation of the API. Afterwards, everything that `changes` names is read again.
 * @public
 */
export const useChange = <K extends Operation>(operation: K, changes: readonly Operation[], options?: CallOptions) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: InputOf<K>) => call(operation, input, options) as Promise<AnswerOf<K>>,
    onSettled: () => Promise.all(changes.map((read) => client.invalidateQueries({ queryKey: [read] }))),
  });
};

/** Operations that take a body, and those that also name a record. */
type Creation = { [K in Operation]: InputOf<K> extends { body: object } ? K : never }[Operation];

/**
 * Creates a record by one operation, or changes the given one by the other, unless another client has changed it since it was
 * read. Afterwards, everything that `changes` names is read again.
 */
export const useSave = <C extends Creation, U extends Operation>(
  creation: C,
  update: U,
  changes: readonly Operation[],
  record?: { id: string; etag: string },
) => {
  // The version that the person saw, whatever is read meanwhile.
  const [known] = useState(record);
  const change = useChange<Operation>(known ? update : creation, changes);
  const input = known && { path: { id: known.id }, header: { 'If-Match': known.etag } };
  const save = (body: InputOf<C>['body' & keyof InputOf<C>], onSuccess?: (saved: AnswerOf<C>) => void): void =>
    change.mutate({ ...input, body } as never, { onSuccess: (saved) => onSuccess?.(saved as AnswerOf<C>) });
  return { change, save };
};
