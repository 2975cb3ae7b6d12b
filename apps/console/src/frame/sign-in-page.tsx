import { Anchor, Button, Center, Code, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useSignIn } from '../api/session.ts';
import logo from './logo.svg';
import { Failure } from '../ui/failure.tsx';

/** Exchanges an API key for a session. The key is sent once and kept nowhere in the page. */
export const SignInPage = () => {
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
