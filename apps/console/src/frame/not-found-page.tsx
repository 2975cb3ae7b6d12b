import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

export const NotFoundPage = () => (
  <Page title="No such page">
    <Empty icon="search" title="The console has no page at this address">
      Perhaps the address is incomplete. Continue with the{' '}
      <Anchor component={Link} to="/">
        fleet
      </Anchor>
      .
    </Empty>
  </Page>
);
