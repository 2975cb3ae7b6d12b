import { InvalidKey, NoAnswer } from '@lanyard/client/browser';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { connection } from './connection.ts';
import { sessionKey, type SignedIn, withoutSession } from './signed-in.ts';

const onError = (error: unknown): void => {
  if (error instanceof NoAnswer) connection.doubt();
  // This shows the sign-in page.
  if (error instanceof InvalidKey) queryClient.setQueryData<SignedIn>(sessionKey, withoutSession);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // The client itself retries what may be repeated.
    queries: { retry: false, staleTime: 5_000 },
    // Without an answer, a change fails at once. If it waited for the connection, it would be made later, unexpectedly.
    // Its input and answer, for example a new key, are kept no longer than the part of the page that made the change.
    mutations: { retry: false, networkMode: 'always', gcTime: 1_000 },
  },
});
