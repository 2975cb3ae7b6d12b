import type { Device } from '@lanyard/client/browser';
import { TextInput } from '@mantine/core';
import { useEdit } from '../api/queries.ts';
import { FormDialog, nameOf, useFields } from '../ui/index.ts';

interface NameDialogProps {
  device: Device;
  onClose: () => void;
}

/** Changes the name and the description of a device, but not the endpoint name, with which the device registers. */
export const NameDialog = ({ device, onClose }: NameDialogProps) => {
  const { values, text } = useFields({ name: device.name ?? '', description: device.description ?? '' });
  const { change, save } = useEdit('PUT /v3/devices/{id}', device, ['GET /v3/devices/{id}', 'GET /v3/devices']);
  const [name, description] = [values.name.trim(), values.description.trim()];
  const submit = () =>
    save({ name: name === '' ? null : name, description: description === '' ? null : description }, onClose);
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
