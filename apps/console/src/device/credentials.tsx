import type { DeviceCredential } from '@lanyard/client/browser';
import { SegmentedControl, Select, Textarea } from '@mantine/core';
import { useState } from 'react';
import { usePages } from '../api/pages.ts';
import { useChange } from '../api/queries.ts';
import {
  type Column,
  Empty,
  FormDialog,
  Listing,
  moment,
  Opens,
  recordActions,
  SecretOnce,
  useFields,
} from '../ui/index.ts';

const list = 'GET /v3/devices/{id}/credentials';

const kinds: Record<DeviceCredential['kind'], string> = {
  psk: 'Pre-shared key',
  certificate: 'Certificate',
  raw_public_key: 'Public key',
};

const services: Record<DeviceCredential['service'], string> = { lwm2m: 'LwM2M', bootstrap: 'bootstrapping' };

/** Creates a pre-shared key, which is shown once, or stores a certificate or a public key. */
const CredentialDialog = ({ deviceId, onClose }: { deviceId: string; onClose: () => void }) => {
  const { values, text, choice } = useFields({ kind: 'psk', service: 'lwm2m' as string | null, pem: '' });
  const [made, setMade] = useState<{ identity: string; key: string }>();
  const create = useChange('POST /v3/devices/{id}/credentials', [list]);
  const { kind, pem } = values;
  const submit = () => {
    const service = values.service as DeviceCredential['service'];
    const contents =
      kind === 'psk'
        ? ({ kind } as const)
        : kind === 'certificate'
          ? ({ kind, certificate: pem } as const)
          : ({ kind: 'raw_public_key', public_key: pem } as const);
    create.mutate(
      { path: { id: deviceId }, body: { ...contents, service } },
      { onSuccess: ({ identity, key }) => (key ? setMade({ identity: identity ?? '', key }) : onClose()) },
    );
  };
  if (made)
    return (
      <SecretOnce title={`Key of the identity ${made.identity}`} secret={made.key} onClose={onClose}>
        {`Put both into the device: the identity ${made.identity} and this key, in hexadecimal.`}
      </SecretOnce>
    );
  return (
    <FormDialog
      title="Create a credential"
      verb="Create"
      needs="devices.credentials"
      change={create}
      onSubmit={submit}
      onClose={onClose}
      unavailable={kind !== 'psk' && pem.trim() === '' ? 'Paste it in PEM.' : undefined}
    >
      <SegmentedControl
        aria-label="Kind"
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        {...choice('kind')}
      />
      <Select
        label="For"
        data={Object.entries(services).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...choice('service')}
      />
      {kind !== 'psk' && (
        <Textarea
          label={`${kinds[kind as DeviceCredential['kind']]} in PEM`}
          placeholder="-----BEGIN …"
          autosize
          minRows={4}
          maxRows={12}
          {...text('pem')}
        />
      )}
    </FormDialog>
  );
};

const identityOf = ({ identity, subject, fingerprint }: DeviceCredential) => identity ?? subject ?? fingerprint;

const columns: readonly Column<DeviceCredential>[] = [
  { title: 'Kind', cell: ({ kind }) => kinds[kind], more: ({ service }) => `for ${services[service]}` },
  {
    title: 'Identity',
    cell: (credential) => <span className="wrap">{identityOf(credential)}</span>,
  },
  { title: 'Expires', cell: ({ expires_at: at }) => (at === null ? 'does not expire' : moment(at)) },
  { title: 'Created', cell: ({ created_at: at }) => moment(at) },
  recordActions({
    what: (credential) => `the ${kinds[credential.kind].toLowerCase()} ${identityOf(credential)}`,
    needs: 'devices.credentials',
    removal: 'DELETE /v3/devices/{id}/credentials/{credentialId}',
    pathOf: ({ id, device_id: deviceId }) => ({ id: deviceId, credentialId: id }),
    changes: [list],
    consequence: 'The connections that were made with it are closed, and the device cannot connect with it any more.',
  }),
];

/** The credentials with which the device authenticates itself. A secret is shown once, when it is created. */
export const Credentials = ({ deviceId }: { deviceId: string }) => (
  <Listing
    title="Credentials"
    aside={
      <Opens label="Create a credential" needs="devices.credentials">
        {(close) => <CredentialDialog deviceId={deviceId} onClose={close} />}
      </Opens>
    }
    answer={usePages(list, { path: { id: deviceId } })}
    columns={columns}
    empty={
      <Empty icon="keys" title="No credentials">
        Until it has one, the device can connect without security only.
      </Empty>
    }
  />
);
