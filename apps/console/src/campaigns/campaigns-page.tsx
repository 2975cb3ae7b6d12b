import type { FirmwareImage, UpdateCampaign } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { count, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';
import { CampaignState } from './campaign-state.tsx';

const shownMax = 200;

const campaignColumns: readonly Column<UpdateCampaign>[] = [
  {
    title: 'Campaign',
    cell: ({ id, name }) => (
      <PageLink to={`/campaigns/${id}`} size="sm" fw={500}>
        {name || id}
      </PageLink>
    ),
  },
  { title: 'Version', cell: ({ firmware_version: version }) => version },
  { title: 'State', cell: ({ state }) => <CampaignState state={state} /> },
  { title: 'Created', cell: ({ created_at: at }) => moment(at), isMinor: true },
];

const imageColumns: readonly Column<FirmwareImage>[] = [
  { title: 'Image', cell: ({ id, name }) => name || id },
  { title: 'Version', cell: ({ version }) => version },
  { title: 'Bytes', cell: ({ datafile_size: size }) => count(size) },
  {
    title: 'SHA-256',
    cell: ({ datafile_checksum: sum }) => (
      <Text size="xs" c="dimmed">
        {sum}
      </Text>
    ),
    isMinor: true,
  },
];

const Campaigns = () => (
  <Listing
    answer={useRead('GET /v3/update-campaigns', { query: { order: 'DESC', limit: shownMax } }, { everyMs: 5_000 })}
    columns={campaignColumns}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="campaigns" title="No campaigns yet">
        Upload a firmware image with POST /v3/firmware-images, then create a campaign with POST /v3/update-campaigns.
      </Empty>
    }
  />
);

const Images = () => (
  <Listing
    answer={useRead('GET /v3/firmware-images', { query: { order: 'DESC', limit: shownMax } })}
    columns={imageColumns}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="upload" title="No firmware images yet">
        POST /v3/firmware-images stores one.
      </Empty>
    }
  />
);

/** Update campaigns, the newest first, and the images that they install. */
const CampaignsPage = () => (
  <Page title="Campaigns">
    <Permitted needs="campaigns">
      <Panel title="Update campaigns" flush>
        <Campaigns />
      </Panel>
      <Panel title="Firmware images" flush>
        <Images />
      </Panel>
    </Permitted>
  </Page>
);

export default CampaignsPage;
