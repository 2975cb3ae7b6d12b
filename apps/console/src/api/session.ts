import { InvalidKey, type Session } from '@lanyard/client/browser';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { lanyard } from './lanyard.ts';
import { askEveryMs, removeAnswers, sessionKey, type SignedIn, takeOver, withoutSession } from './signed-in.ts';

/** Who is signed in. */
export const useSessionQuery = () => {
  const client = useQueryClient();
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }): Promise<SignedIn> => {
      try {
        return takeOver(client, await lanyard.call('GET /v3/session', {}, { signal }));
      } catch (error) {
        if (error instanceof InvalidKey) return withoutSession(client.getQueryData<SignedIn>(sessionKey));
        throw error;
      }
    },
    // Another person may have signed in from another tab: their rights would be used under the name that is shown.
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => askEveryMs(state.data),
  });
};

export const useSignIn = () => {
  const client = useQueryClient();
  return useMutation({
    // No retries: a person is told at once that refused sign-ins are slowed down, and for how long.
    mutationFn: (key: string) => lanyard.call('POST /v3/session', { body: { api_key: key } }, { retries: 0 }),
    onSuccess: async (session) => {
      // An answer to an earlier query would sign out again.
      await client.cancelQueries({ queryKey: sessionKey });
      // After a session has ended, another person may sign in.
      removeAnswers(client);
      client.setQueryData(sessionKey, session);
    },
  });
};

/** Signs out and forgets everything that was read. Only the service can end the session: without its answer, the session continues. */
export const useSignOut = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => lanyard.call('DELETE /v3/session'),
    onSuccess: async () => {
      // An answer to an earlier query would sign in again.
      await client.cancelQueries({ queryKey: sessionKey });
      client.setQueryData<SignedIn>(sessionKey, null);
      removeAnswers(client);
    },
  });
};

export const SessionContext = createContext<Session | null>(null);

/** The session of the person who uses the page. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (!session) throw new Error('not signed in');
  return session;
};
