import { Empty, Page, PageLink } from '../ui/index.ts';

export const NotFoundPage = () => (
  <Page title="No such page">
    <Empty icon="search" title="The console has no page at this address">
      Perhaps the address is incomplete. Continue with the <PageLink to="/">fleet</PageLink>.
    </Empty>
  </Page>
);
