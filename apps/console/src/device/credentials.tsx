import type { DeviceCredential } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { Empty } from '../ui/empty.tsx';
import { moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Panel } from '../ui/page.tsx';
import { type Column } from '../ui/table.tsx';

const kinds: Record<DeviceCredential['kind'], string> = {
  psk: 'Pre-shared key',
  certificate: 'Certificate',
  raw_public_key: 'Raw public key',
};

const columns: readonly Column<DeviceCredential>[] = [
  {
    title: 'Kind',
    cell: ({ kind, service }) => (
      <>
        <Text size="sm" fw={500}>
          {kinds[kind]}
        </Text>
        <Text size="xs" c="dimmed">
          for {service === 'bootstrap' ? 'bootstrapping' : 'LwM2M'}
        </Text>
      </>
    ),
  },
  { title: 'Identity', cell: ({ identity, subject, fingerprint }) => identity ?? subject ?? fingerprint },
  { title: 'Expires', cell: ({ expires_at: at }) => (at === null ? 'does not expire' : moment(at)) },
];

/** How the device proves who it is. Secrets are never shown. */
export const Credentials = ({ deviceId }: { deviceId: string }) => (
  <Panel flush>
    <Listing
      answer={usePages('GET /v3/devices/{id}/credentials', { path: { id: deviceId } })}
      columns={columns}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="keys" title="No credentials">
          The device can connect without security only. POST /v3/devices/{'{id}'}/credentials creates one.
        </Empty>
      }
    />
  </Panel>
);
