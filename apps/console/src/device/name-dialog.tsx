import type { Device } from '@lanyard/client/browser';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../api/queries.ts';
import { FormDialog, nameOf, useFields } from '../ui/index.ts';

interface NameDialogProps {
  device: Device;
  onClose: () => void;
}

/** Changes the name and the description of a device, but not the endpoint name, with which the device registers. */
export const NameDialog = ({ device, onClose }: NameDialogProps) => {
  const { values, text } = useFields({ name: device.name ?? '', description: device.description ?? '' });
  // The version that the person saw, even if a newer one is read meanwhile.
  const [{ id, etag }] = useState(device);
  const change = useChange('PUT /v3/devices/{id}', ['GET /v3/devices/{id}', 'GET /v3/devices']);
  const [name, description] = [values.name.trim(), values.description.trim()];
  const submit = () => {
    const body = { name: name === '' ? null : name, description: description === '' ? null : description };
    change.mutate({ path: { id }, header: { 'If-Match': etag }, body }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`Change the device ${nameOf(device)}`}
      verb="Save"
      needs="devices.write"
      change={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Name" maxLength={128} data-autofocus {...text('name')} />
      <TextInput label="Description" maxLength={2000} {...text('description')} />
    </FormDialog>
  );
};
