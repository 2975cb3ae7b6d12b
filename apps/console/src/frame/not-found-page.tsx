import { Empty, Page, PageLink } from '../ui/index.ts';

export const NotFoundPage = () => (
  <Page title="No such page">
    <Empty icon="search" title="This address does not exist in the console">
      Perhaps the address is incomplete. Continue with the <PageLink to="/">fleet</PageLink>.
    </Empty>
  </Page>
);
