import type { FirmwareImage, UpdateCampaign } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { useChange } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { bytes, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Opens } from '../ui/opens.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';
import { CampaignDialog } from './campaign-dialog.tsx';
import { CampaignState } from './campaign-state.tsx';
import { ImageDialog } from './image-dialog.tsx';

const packageOf = ({
  package_object: object,
  package_name: name,
}: Pick<FirmwareImage, 'package_object' | 'package_name'>) => (object === 9 ? `software ${name ?? ''}` : 'firmware');

const campaignColumns: readonly Column<UpdateCampaign>[] = [
  { title: 'Campaign', cell: ({ id, name }) => <PageLink to={`/campaigns/${id}`}>{name || id}</PageLink> },
  {
    title: 'Installs',
    cell: (campaign) => (
      <Titled more={packageOf(campaign)} isStrong={false}>
        {campaign.firmware_version}
      </Titled>
    ),
  },
  { title: 'State', cell: ({ state }) => <CampaignState state={state} /> },
  { title: 'Created', cell: ({ created_at: at }) => moment(at) },
  { title: 'Actions', cell: (campaign) => <CampaignRemoval campaign={campaign} /> },
];

const CampaignRemoval = ({ campaign: { id, name, state } }: { campaign: UpdateCampaign }) => {
  const change = useChange('DELETE /v3/update-campaigns/{id}', ['GET /v3/update-campaigns']);
  if (!['draft', 'done', 'aborted'].includes(state)) return null;
  return (
    <Confirm
      verb="Delete"
      what={`the campaign ${name || id}`}
      needs="campaigns"
      change={change}
      input={{ path: { id } }}
    >
      What it did to devices stays as it is, and so do its entries in the event log.
    </Confirm>
  );
};

const ImageRemoval = ({ image: { id, name, version } }: { image: FirmwareImage }) => (
  <Confirm
    verb="Delete"
    what={`the package ${name || id}, ${version}`}
    needs="campaigns"
    change={useChange('DELETE /v3/firmware-images/{id}', ['GET /v3/firmware-images'])}
    input={{ path: { id } }}
  >
    No further campaign can install it.
  </Confirm>
);

const imageColumns: readonly Column<FirmwareImage>[] = [
  { title: 'Package', cell: (image) => <Titled more={packageOf(image)}>{image.name || image.id}</Titled> },
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
  { title: 'Actions', cell: (image) => <ImageRemoval image={image} /> },
];

const Campaigns = () => (
  <Listing
    answer={usePages('GET /v3/update-campaigns', { query: { order: 'DESC' } }, { everyMs: 5_000 })}
    columns={campaignColumns}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="campaigns" title="No campaigns yet">
        Upload a package, then create a campaign that installs it.
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
      <Empty icon="upload" title="No packages yet">
        Upload the firmware image or the software that devices are to install.
      </Empty>
    }
  />
);

/** Update campaigns, the newest first, and the packages that they install. */
const CampaignsPage = () => (
  <Page
    title="Campaigns"
    about="Install firmware and software on many devices, some at a time"
    actions={
      <>
        <Opens label="Upload a package" needs="campaigns">
          {(close) => <ImageDialog onClose={close} />}
        </Opens>
        <Opens label="Create a campaign" needs="campaigns" isMain>
          {(close) => <CampaignDialog onClose={close} />}
        </Opens>
      </>
    }
  >
    <Permitted needs="campaigns">
      <Panel title="Update campaigns" flush>
        <Campaigns />
      </Panel>
      <Panel title="Packages" flush>
        <Images />
      </Panel>
    </Permitted>
  </Page>
);

export default CampaignsPage;
