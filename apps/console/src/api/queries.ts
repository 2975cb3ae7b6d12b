import type { AnswerOf, CallOptions, InputOf, Operation } from '@lanyard/client/browser';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
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
