import type { BootstrapProfile } from '@lanyard/client/browser';
import { useDeviceGroupName } from '../api/choices.ts';
import { usePages } from '../api/pages.ts';
import { type Column, duration, Empty, Listing, Opens, Page, PageLink, recordActions } from '../ui/index.ts';
import { ProfileDialog } from './profile-dialog.tsx';

const list = 'GET /v3/bootstrap-profiles';

const security: Record<BootstrapProfile['security_mode'], string> = {
  psk: 'pre-shared key',
  raw_public_key: 'raw public key',
  none: 'no security',
};

const Scope = ({ profile: { device_id: device, group_id: group } }: { profile: BootstrapProfile }) => {
  const groupName = useDeviceGroupName();
  if (device !== null) return <PageLink to={`/devices/${device}`}>one device</PageLink>;
  return group === null ? 'all devices' : `group ${groupName(group)}`;
};

const columns: readonly Column<BootstrapProfile>[] = [
  { title: 'Profile', cell: ({ id, name }) => name || id, more: ({ description }) => description },
  { title: 'For', cell: (profile) => <Scope profile={profile} /> },
  {
    title: 'Server',
    cell: ({ server_uri: uri }) => uri,
    more: ({ security_mode: mode }) => security[mode],
  },
  { title: 'Lifetime', cell: ({ lifetime_seconds: n }) => duration(n) },
  recordActions({
    what: ({ id, name }) => `the profile ${name || id}`,
    needs: 'devices.credentials for all devices',
    Dialog: ProfileDialog,
    removal: 'DELETE /v3/bootstrap-profiles/{id}',
    changes: [list],
    consequence: 'Devices that bootstrap after this get the next profile that applies to them, or none.',
  }),
];

const Profiles = () => (
  <Listing
    answer={usePages(list, {})}
    columns={columns}
    empty={
      <Empty icon="keys" title="No bootstrap profiles yet">
        Without a profile, the bootstrap server rejects all devices. Create the profile of the account first.
      </Empty>
    }
  />
);

/** What the bootstrap server sends to devices. */
const BootstrapPage = () => (
  <Page
    title="Bootstrap"
    about="The server and the credentials that a new device gets from the bootstrap server"
    needs="devices.read for all devices"
    actions={
      <Opens label="Create a profile" needs="devices.credentials for all devices" isMain Dialog={ProfileDialog} />
    }
  >
    <Profiles />
  </Page>
);

export default BootstrapPage;
