import { NumberInput, Select, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useDeviceGroups, useImages } from '../api/choices.ts';
import { useChange } from '../api/queries.ts';
import { useFields } from '../ui/fields.ts';
import { FormDialog } from '../ui/form-dialog.tsx';

const concurrencyDefault = 10;
const concurrencyMax = 1_000;

/** Creates a draft, whose page then says how many devices it would select. */
export const CampaignDialog = ({ onClose }: { onClose: () => void }) => {
  const { values, text, choice, set } = useFields({
    name: '',
    image: null as string | null,
    group: null as string | null,
    filter: '',
    concurrency: concurrencyDefault,
  });
  const { image, group, concurrency } = values;
  const [name, filter] = [values.name.trim(), values.filter.trim()];
  const images = useImages();
  const create = useChange('POST /v3/update-campaigns', ['GET /v3/update-campaigns']);
  const navigate = useNavigate();
  const submit = () => {
    if (image === null) return;
    const whom = { group_id: group, filter: filter === '' ? null : filter };
    create.mutate(
      { body: { name, firmware_image_id: image, ...whom, concurrency } },
      { onSuccess: ({ id }) => void navigate({ to: `/campaigns/${id}` as '/' }) },
    );
  };
  const missing = images.length === 0 ? 'Upload a package first.' : 'Enter a name and choose a package.';
  return (
    <FormDialog
      title="Create a campaign"
      verb="Create a draft"
      needs="campaigns"
      change={create}
      onSubmit={submit}
      onClose={onClose}
      unavailable={name !== '' && image !== null ? undefined : missing}
    >
      <TextInput label="Name" data-autofocus {...text('name')} />
      <Select label="Package" data={images} searchable {...choice('image')} />
      <Select
        label="Device group"
        placeholder="all groups"
        data={useDeviceGroups()}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the device group' }}
        {...choice('group')}
      />
      <TextInput
        label="Filter"
        description="As for the list of devices. Without group and filter: all devices"
        placeholder="endpoint_type=meter&vendor_id=acme"
        {...text('filter')}
      />
      <NumberInput
        label="Devices at once"
        value={concurrency}
        min={1}
        max={concurrencyMax}
        hideControls
        onChange={(value) => set('concurrency', Number(value) || concurrencyDefault)}
      />
    </FormDialog>
  );
};
