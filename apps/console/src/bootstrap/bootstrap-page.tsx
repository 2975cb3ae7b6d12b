import type { BootstrapProfile } from '@lanyard/client/browser';
import { Group } from '@mantine/core';
import { useDeviceGroups } from '../api/choices.ts';
import { usePages } from '../api/pages.ts';
import { useChange } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { counted } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Opens } from '../ui/opens.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import type { Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';
import { ProfileDialog } from './profile-dialog.tsx';

const list = 'GET /v3/bootstrap-profiles';

const Removal = ({ profile: { id, name } }: { profile: BootstrapProfile }) => (
  <Confirm
    verb="Delete"
    what={`the profile ${name || id}`}
    needs="devices.credentials"
    change={useChange('DELETE /v3/bootstrap-profiles/{id}', [list])}
    input={{ path: { id } }}
  >
    Devices that bootstrap from now on get the next profile that applies to them, or none.
  </Confirm>
);

const Scope = ({ profile }: { profile: BootstrapProfile }) => {
  const groups = useDeviceGroups();
  const { scope, device_id: device, group_id: group } = profile;
  if (scope === 'account') return 'all devices';
  if (device !== null) return <PageLink to={`/devices/${device}`}>one device</PageLink>;
  return `group ${groups.find(({ value }) => value === group)?.label ?? group}`;
};

const columns: readonly Column<BootstrapProfile>[] = [
  { title: 'Profile', cell: ({ id, name, description }) => <Titled more={description}>{name || id}</Titled> },
  { title: 'For', cell: (profile) => <Scope profile={profile} /> },
  {
    title: 'Server',
    cell: ({ server_uri: uri, security_mode: mode }) => (
      <Titled more={mode === 'psk' ? 'pre-shared key' : 'no security'} isStrong={false}>
        {uri}
      </Titled>
    ),
  },
  { title: 'Lifetime', cell: ({ lifetime_seconds: n }) => counted(n, 'second') },
  {
    title: 'Actions',
    cell: (profile) => (
      <Group gap="xs">
        <Opens label="Change" what={`the profile ${profile.name}`} needs="devices.credentials">
          {(close) => <ProfileDialog profile={profile} onClose={close} />}
        </Opens>
        <Removal profile={profile} />
      </Group>
    ),
  },
];

/** What devices get that ask the bootstrap server. */
const BootstrapPage = () => (
  <Page
    title="Bootstrap"
    about="The server and the credentials that a new device gets from the bootstrap server"
    actions={
      <Opens label="Create a profile" needs="devices.credentials" isMain>
        {(close) => <ProfileDialog onClose={close} />}
      </Opens>
    }
  >
    <Permitted needs="devices.read">
      <Panel flush>
        <Listing
          answer={usePages(list, {})}
          columns={columns}
          keyOf={({ id }) => id}
          empty={
            <Empty icon="keys" title="No bootstrap profiles yet">
              Without one, devices that ask the bootstrap server are refused. Create the profile of the account first.
            </Empty>
          }
        />
      </Panel>
    </Permitted>
  </Page>
);

export default BootstrapPage;
