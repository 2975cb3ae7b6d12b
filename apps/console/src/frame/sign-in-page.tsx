import { Anchor, Button, Center, Code, Divider, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useRead } from '../api/queries.ts';
import { useSignIn } from '../api/session.ts';
import logo from './logo.svg';
import { Failure, Notice, RequestId } from '../ui/index.ts';

/** Why the provider returned the person without a session. */
const refusals: Record<string, string> = {
  denied: 'The sign-in was cancelled, or the provider or an administrator of Lanyard refused it.',
  no_role: 'You have no role in Lanyard. An administrator of the provider can give you one.',
  failed: 'The sign-in with the provider failed. Try again. The gateway logs the reason under the request id.',
};

const Refused = () => {
  const search = new URLSearchParams(window.location.search);
  const reason = search.get('sign_in_error');
  const requestId = search.get('request_id');
  if (reason === null) return null;
  return (
    <Notice tone="bad" title="Not signed in">
      <Text size="sm">{refusals[reason] ?? refusals['failed']}</Text>
      {requestId !== null && <RequestId id={requestId} />}
    </Notice>
  );
};

/** The address to return to after the sign-in. */
const currentAddress = (): string => {
  const { pathname, search } = window.location;
  return search.includes('sign_in_error') ? pathname : pathname + search;
};

/** Sign-in of people with the provider of their organisation, if one is configured. */
const WithProvider = () => {
  const { data } = useRead('GET /v3/session/oidc', {});
  if (!data?.enabled) return null;
  return (
    <>
      <Button
        component="a"
        href={`/v3/session/oidc/start?${new URLSearchParams({ return_to: currentAddress() })}`}
        fullWidth
      >
        Sign in with {data.name ?? 'your organisation'}
      </Button>
      <Divider label="or with an API key" labelPosition="center" />
    </>
  );
};

/** Exchanges an API key for a session. The key is sent once, and the page does not keep it. */
export const SignInPage = ({ hasEnded }: { hasEnded: boolean }) => {
  const [key, setKey] = useState('');
  const signIn = useSignIn();
  useEffect(() => {
    document.title = 'Sign in · Lanyard';
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(key.trim(), { onSuccess: () => setKey('') });
  };
  return (
    <Center component="main" mih="100vh" p="md" bg="var(--canvas)">
      <Paper withBorder p="xl" w="100%" maw="26rem">
        <form onSubmit={submit}>
          <Stack gap="md">
            <Group gap="sm">
              <img src={logo} alt="" width="36" height="36" />
              <Title order={1}>Sign in to Lanyard</Title>
            </Group>
            {hasEnded && (
              <Notice tone="warning" title="Your session has ended" role="status">
                Sign in again to continue on this page. A session ends when it is not used for a time, after a
                day&apos;s work, and when an administrator ends it.
              </Notice>
            )}
            <Refused />
            <WithProvider />
            <PasswordInput
              label="API key"
              description="Starts with ak_1. It is exchanged for a session and not stored in the browser."
              placeholder="ak_1…"
              autoComplete="off"
              autoFocus
              required
              withAsterisk={false}
              value={key}
              onChange={({ currentTarget }) => setKey(currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the key', 'aria-hidden': false, tabIndex: 0 }}
            />
            {signIn.error && <Failure error={signIn.error} />}
            <Button type="submit" loading={signIn.isPending} disabled={key.trim() === ''} fullWidth>
              Sign in
            </Button>
            <Text size="xs" c="dimmed">
              After <Code>npm start</Code>, the first administrator key is in <Code>.lanyard/admin.key</Code>. For the
              API itself, see the{' '}
              <Anchor href="/docs" size="xs" underline="always">
                API pages
              </Anchor>
              .
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
};
