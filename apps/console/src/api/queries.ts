import type { AnswerOf, CallOptions, InputOf, Operation } from '@lanyard/client/browser';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { changing } from './changing.ts';
import { lanyard } from './lanyard.ts';
import { type Polling, pollMs } from './polling.ts';

type Call = (operation: Operation, input: unknown, options?: CallOptions) => Promise<unknown>;

const call = lanyard.call.bind(lanyard) as unknown as Call;

export interface ReadOptions<Answer = unknown> extends Polling<Answer> {
  enabled?: boolean;
  /** Shows the last answer while the one for other parameters is being read. */
  keeps?: boolean;
}

/** Reads with an operation of the API, typed by the OpenAPI document: `useRead('GET /v3/devices/{id}', { path: { id } })`. */
export const useRead = <K extends Operation>(
  operation: K,
  input: InputOf<K>,
  { enabled = true, keeps = false, ...polling }: ReadOptions<AnswerOf<K>> = {},
) =>
  useQuery({
    queryKey: [operation, input],
    queryFn: ({ signal }) => call(operation, input, { signal }) as Promise<AnswerOf<K>>,
    enabled,
    refetchInterval: ({ state }) => pollMs(state.data, polling),
    placeholderData: keeps ? keepPreviousData : undefined,
  });

/** Time for a file over a slow connection, which the service accepts as long as bytes arrive. */
const uploadMaxMs = 3_600_000;

/** Runs an action of one call or several. Afterwards, everything that `changes` names is read again. */
export const useAction = <Input, Answer>(run: (input: Input) => Promise<Answer>, changes: readonly Operation[]) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => run(input),
    onSettled: () => Promise.all(changes.map((read) => client.invalidateQueries({ queryKey: [read] }))),
  });
};

/**
 * Changes something with an operation of the API. Afterwards, everything that `changes` names is read again.
 * @public
 */
export const useChange = <K extends Operation>(operation: K, changes: readonly Operation[]) =>
  useAction((input: InputOf<K>) => changing(call, operation, input) as Promise<AnswerOf<K>>, changes);

/** Operations that take a file. */
type Upload = 'POST /v3/device-imports' | 'POST /v3/firmware-images';

interface Uploading<K extends Upload> {
  file: File;
  query: InputOf<K>['query'];
  signal: AbortSignal;
}

/**
 * Uploads a file. The change includes reading the file: a large one takes a while, and one that was changed or deleted after
 * it was chosen cannot be read. It is sent as bytes: in text, bytes that are not UTF-8 would be replaced, and the service
 * could not refuse them. The upload also stops when its part of the page is left, because nothing else could show a failure.
 */
export const useUpload = <K extends Upload>(operation: K, changes: readonly Operation[]) => {
  const [stopper, setStopper] = useState<AbortController>();
  useEffect(() => () => stopper?.abort(), [stopper]);
  const upload = useAction(async ({ file, query, signal }: Uploading<K>) => {
    const body = new Uint8Array(await file.arrayBuffer());
    return (await call(operation, { query, body }, { timeoutMs: uploadMaxMs, signal })) as AnswerOf<K>;
  }, changes);
  const begin = (file: File, query: InputOf<K>['query'], onSuccess?: () => void): void => {
    const own = new AbortController();
    setStopper(own);
    upload.mutate({ file, query, signal: own.signal }, { onSuccess: () => onSuccess?.() });
  };
  /** Afterwards, the state is as if the upload had not begun. */
  const stop = (): void => {
    stopper?.abort();
    upload.reset();
  };
  return { upload, begin, stop };
};

interface Version {
  id: string;
  etag: string;
}

/** Path and header of a change to the version of a record that the person saw, even if a newer one is read meanwhile. */
const useSeenVersion = (record: Version | undefined) => {
  const [seen] = useState(record);
  return seen && { path: { id: seen.id }, header: { 'If-Match': seen.etag } };
};

/** Operations that change one record. */
type Edit = Extract<Operation, `PUT ${string}/{id}`>;

/**
 * Changes a record unless another client has changed it since it was read. Afterwards, everything that `changes` names is
 * read again.
 */
export const useEdit = <K extends Edit>(operation: K, record: Version, changes: readonly Operation[]) => {
  type Input = InputOf<K>;
  const version = useSeenVersion(record);
  const change = useChange(operation, changes);
  const save = (body: Input['body' & keyof Input], onSuccess?: () => void): void =>
    change.mutate({ ...version, body } as never, { onSuccess: () => onSuccess?.() });
  return { change, save };
};

/** Paths where records are created with POST, and changed with PUT to the path of one. */
type Collection = {
  [K in Operation]: K extends `POST ${infer P}` ? (`PUT ${P}/{id}` extends Operation ? P : never) : never;
}[Operation];
type Creation<P extends Collection> = Extract<Operation, `POST ${P}`>;

/**
 * Creates a record, or changes the given one unless another client has changed it since it was read. Afterwards, the record,
 * its list, and everything that `others` names are read again.
 */
export const useSave = <P extends Collection>(path: P, record?: Version, others: readonly Operation[] = []) => {
  type Input = InputOf<Creation<P>>;
  type Saved = AnswerOf<Creation<P>>;
  const version = useSeenVersion(record);
  const operation = (version ? `PUT ${path}/{id}` : `POST ${path}`) as Operation;
  const change = useChange(operation, [`GET ${path}`, `GET ${path}/{id}`, ...others] as Operation[]);
  const save = (body: Input['body' & keyof Input], onSuccess?: (saved: Saved) => void): void =>
    change.mutate({ ...version, body } as never, { onSuccess: (saved) => onSuccess?.(saved as Saved) });
  return { change, save };
};
