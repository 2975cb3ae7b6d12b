import { NumberInput, Select, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeviceGroups, useImages } from '../api/choices.ts';
import { useChange } from '../api/queries.ts';
import { FormDialog } from '../ui/form-dialog.tsx';

const concurrencyDefault = 10;
const concurrencyMax = 1_000;

/** Creates a draft, whose page then says how many devices it would select. */
export const CampaignDialog = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('');
  const [image, setImage] = useState<string | null>(null);
  const [group, setGroup] = useState<string | null>(null);
  const [filter, setFilter] = useState('');
  const [concurrency, setConcurrency] = useState(concurrencyDefault);
  const images = useImages();
  const create = useChange('POST /v3/update-campaigns', ['GET /v3/update-campaigns']);
  const navigate = useNavigate();
  const submit = () => {
    if (image === null) return;
    create.mutate(
      {
        body: {
          name: name.trim(),
          firmware_image_id: image,
          group_id: group,
          filter: filter.trim() === '' ? null : filter.trim(),
          concurrency,
        },
      },
      { onSuccess: ({ id }) => void navigate({ to: `/campaigns/${id}` as '/' }) },
    );
  };
  const missing = images.length === 0 ? 'Upload a firmware image first.' : 'Enter a name and choose an image.';
  return (
    <FormDialog
      title="Create a campaign"
      verb="Create a draft"
      needs="campaigns"
      change={create}
      onSubmit={submit}
      onClose={onClose}
      unavailable={name.trim() !== '' && image !== null ? undefined : missing}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
      <Select label="Firmware image" data={images} value={image} onChange={setImage} searchable />
      <Select
        label="Device group"
        placeholder="all groups"
        data={useDeviceGroups()}
        value={group}
        onChange={setGroup}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the device group' }}
      />
      <TextInput
        label="Filter"
        description="As for the list of devices. Without group and filter: all devices"
        placeholder="endpoint_type=meter&vendor_id=acme"
        value={filter}
        onChange={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      <NumberInput
        label="Devices at once"
        value={concurrency}
        min={1}
        max={concurrencyMax}
        hideControls
        onChange={(value) => setConcurrency(Number(value) || concurrencyDefault)}
      />
    </FormDialog>
  );
};
