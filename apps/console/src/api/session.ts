import { InvalidKey, type Session } from '@lanyard/client/browser';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { lanyard } from './lanyard.ts';

export const sessionKey = ['session'];

const show = async (signal: AbortSignal): Promise<Session | null> => {
  try {
    return await lanyard.call('GET /v3/session', {}, { signal });
  } catch (error) {
    if (error instanceof InvalidKey) return null;
    throw error;
  }
};

/** Who is signed in; null: no session. */
export const useSessionQuery = () =>
  useQuery({ queryKey: sessionKey, queryFn: ({ signal }) => show(signal), staleTime: 60_000, refetchInterval: 60_000 });

export const useSignIn = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => lanyard.call('POST /v3/session', { body: { api_key: key } }),
    onSuccess: (session) => client.setQueryData(sessionKey, session),
  });
};

/** Whether or not the service can be asked to end the session, nothing that was read stays in the page. */
export const useSignOut = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => lanyard.call('DELETE /v3/session'),
    onSuccess: () => {
      client.clear();
      client.setQueryData(sessionKey, null);
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
