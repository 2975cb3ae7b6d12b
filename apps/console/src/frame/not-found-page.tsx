import { Empty } from '../ui/empty.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page } from '../ui/page.tsx';

export const NotFoundPage = () => (
  <Page title="No such page">
    <Empty icon="search" title="The console has no page at this address">
      Perhaps the address is incomplete. Continue with the <PageLink to="/">fleet</PageLink>.
    </Empty>
  </Page>
);
