import type { FirmwareImage, UpdateCampaign } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { bytes, type Column, Empty, Listing, moment, Opens, Page, PageLink, recordActions } from '../ui/index.ts';
import { CampaignDialog } from './campaign-dialog.tsx';
import { CampaignState, isOver, packageOf } from './campaign.tsx';
import { ImageDialog } from './image-dialog.tsx';

const campaignColumns: readonly Column<UpdateCampaign>[] = [
  { title: 'Campaign', cell: ({ id, name }) => <PageLink to={`/campaigns/${id}`}>{name || id}</PageLink> },
  { title: 'Installs', cell: (campaign) => campaign.firmware_version, more: packageOf },
  { title: 'State', cell: ({ state }) => <CampaignState state={state} /> },
  { title: 'Created', cell: ({ created_at: at }) => moment(at) },
  recordActions({
    what: ({ id, name }) => `the campaign ${name || id}`,
    needs: 'campaigns',
    removal: 'DELETE /v3/update-campaigns/{id}',
    isRemovable: (campaign) => isOver(campaign) || campaign.state === 'draft',
    changes: ['GET /v3/update-campaigns'],
    consequence: 'Its changes to devices remain, and so do its entries in the event log.',
  }),
];

const imageColumns: readonly Column<FirmwareImage>[] = [
  { title: 'Package', cell: ({ name, id }) => name || id, more: packageOf },
  { title: 'Version', cell: ({ version }) => version },
  { title: 'Size', cell: ({ datafile_size: size }) => bytes(size) },
  {
    title: 'SHA-256',
    cell: ({ datafile_checksum: sum }) => (
      <Text size="xs" c="dimmed" className="wrap">
        {sum}
      </Text>
    ),
  },
  recordActions({
    what: ({ id, name, version }) => `the package ${name || id}, ${version}`,
    needs: 'campaigns for all devices',
    removal: 'DELETE /v3/firmware-images/{id}',
    changes: ['GET /v3/firmware-images'],
    consequence: 'No further campaign can install it.',
  }),
];

const Campaigns = () => (
  <Listing
    title="Update campaigns"
    answer={usePages('GET /v3/update-campaigns', { query: { order: 'DESC' } }, { everyMs: 5_000 })}
    columns={campaignColumns}
    empty={
      <Empty icon="campaigns" title="No campaigns yet">
        Upload a package, then create a campaign that installs it.
      </Empty>
    }
  />
);

const Images = () => (
  <Listing
    title="Packages"
    answer={usePages('GET /v3/firmware-images', { query: { order: 'DESC' } })}
    columns={imageColumns}
    empty={
      <Empty icon="upload" title="No packages yet">
        Upload the firmware image or the software package that devices should install.
      </Empty>
    }
  />
);

/** Update campaigns, the newest first, and the packages that they install. */
const CampaignsPage = () => (
  <Page
    title="Campaigns"
    about="Install packages on many devices, some at a time"
    needs="campaigns"
    actions={
      <>
        <Opens label="Upload a package" needs="campaigns for all devices" Dialog={ImageDialog} />
        <Opens label="Create a campaign" needs="campaigns" isMain Dialog={CampaignDialog} />
      </>
    }
  >
    <Campaigns />
    <Images />
  </Page>
);

export default CampaignsPage;
