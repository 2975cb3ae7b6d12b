import { Button, Menu, Text } from '@mantine/core';
import { useSession, useSignOut } from '../api/session.ts';
import { Dialog, Failure, Icon, moment } from '../ui/index.ts';

/** Shows who is signed in, and signs out. */
export const AccountMenu = () => {
  const { account_name: account, subject, expires_at: expiresAt } = useSession();
  const signOut = useSignOut();
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            px="xs"
            leftSection={<Icon name="account" />}
            maw="14rem"
            aria-label={`Account: ${subject.name}`}
          >
            <Text size="sm" truncate visibleFrom="xs">
              {subject.name}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label className="wrap">
            {account === '' ? 'Account' : account}
            {expiresAt !== null && <>, signed in until {moment(expiresAt)}</>}
          </Menu.Label>
          <Menu.Item leftSection={<Icon name="exit" />} onClick={() => signOut.mutate()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {signOut.error && (
        <Dialog title="You are still signed in" onClose={signOut.reset}>
          <Failure error={signOut.error} onRetry={() => signOut.mutate()} />
        </Dialog>
      )}
    </>
  );
};
