import type { FirmwareImage, UpdateCampaign } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { usePages } from '../api/pages.ts';
import { useChange } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { bytes, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { ActionButton, Permitted } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';
import { CampaignDialog } from './campaign-dialog.tsx';
import { CampaignState } from './campaign-state.tsx';
import { ImageDialog } from './image-dialog.tsx';

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

const ImageRemoval = ({ image: { id, name, version } }: { image: FirmwareImage }) => (
  <Confirm
    verb="Delete"
    what={`the image ${name || id}, ${version}`}
    needs="campaigns"
    change={useChange('DELETE /v3/firmware-images/{id}', ['GET /v3/firmware-images'])}
    input={{ path: { id } }}
  >
    No further campaign can install it.
  </Confirm>
);

const imageColumns: readonly Column<FirmwareImage>[] = [
  { title: 'Image', cell: ({ id, name }) => name || id },
  { title: 'Version', cell: ({ version }) => version },
  { title: 'Size', cell: ({ datafile_size: size }) => bytes(size), isMinor: true },
  {
    title: 'SHA-256',
    cell: ({ datafile_checksum: sum }) => (
      <Text size="xs" c="dimmed">
        {sum}
      </Text>
    ),
    isMinor: true,
  },
  { title: 'Action', cell: (image) => <ImageRemoval image={image} /> },
];

const Campaigns = () => (
  <Listing
    answer={usePages('GET /v3/update-campaigns', { query: { order: 'DESC' } }, { everyMs: 5_000 })}
    columns={campaignColumns}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="campaigns" title="No campaigns yet">
        Upload a firmware image, then create a campaign that installs it.
      </Empty>
    }
  />
);

const Images = () => (
  <Listing
    answer={usePages('GET /v3/firmware-images', { query: { order: 'DESC' } })}
    columns={imageColumns}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="upload" title="No firmware images yet">
        Upload the file that devices are to install.
      </Empty>
    }
  />
);

/** Update campaigns, the newest first, and the images that they install. */
const CampaignsPage = () => {
  const [isCreating, campaign] = useDisclosure();
  const [isUploading, image] = useDisclosure();
  return (
    <Page
      title="Campaigns"
      about="Install firmware on many devices, some at a time"
      actions={
        <>
          <ActionButton needs="campaigns" variant="default" onClick={image.open}>
            Upload an image
          </ActionButton>
          <ActionButton needs="campaigns" onClick={campaign.open}>
            Create a campaign
          </ActionButton>
        </>
      }
    >
      <Permitted needs="campaigns">
        <Panel title="Update campaigns" flush>
          <Campaigns />
        </Panel>
        <Panel title="Firmware images" flush>
          <Images />
        </Panel>
      </Permitted>
      {isCreating && <CampaignDialog onClose={campaign.close} />}
      {isUploading && <ImageDialog onClose={image.close} />}
    </Page>
  );
};

export default CampaignsPage;
