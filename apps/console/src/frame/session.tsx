import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { SessionContext, useSessionQuery } from '../api/session.ts';
import { holderOf } from '../api/signed-in.ts';
import { Failure } from '../ui/index.ts';
import { SignInPage } from './sign-in-page.tsx';

/** Shows the sign-in page until a person has signed in. */
export const Session = ({ children }: { children: ReactNode }) => {
  const { data, error, refetch } = useSessionQuery();
  if (data === null || data === 'ended') return <SignInPage hasEnded={data === 'ended'} />;
  if (data)
    return (
      // Nothing of a page, an open dialog for example, stays for another person.
      <SessionContext key={holderOf(data)} value={data}>
        {children}
      </SessionContext>
    );
  return (
    <Center component="main" mih="100vh" p="md">
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loader role="status" aria-label="Loading" />}
    </Center>
  );
};
