import type { UpdateCampaign } from '@lanyard/client/browser';
import { Group, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useImages } from '../api/choices.ts';
import { useSave } from '../api/queries.ts';
import { FormDialog, GroupSelect, type RecordDialogProps, useFields, wholeOf } from '../ui/index.ts';
import { isLocalTime, localTime, utcTime } from './local-time.ts';

const concurrencyDefault = 10;
const concurrencyMax = 1_000;

/** Creates a draft, whose page then shows how many devices it would select, or changes a campaign. */
export const CampaignDialog = ({ record: campaign, onClose }: RecordDialogProps<UpdateCampaign>) => {
  const [starts, ends] = [localTime(campaign?.when), localTime(campaign?.ends_at)];
  const { values, text, number, choice } = useFields({
    name: campaign?.name ?? '',
    image: campaign?.firmware_image_id ?? null,
    group: campaign?.group_id ?? null,
    filter: campaign?.filter ?? '',
    starts,
    ends,
    from: campaign?.window?.from ?? '',
    to: campaign?.window?.to ?? '',
    concurrency: (campaign?.concurrency ?? concurrencyDefault) as number | string,
  });
  const { image, group, from, to } = values;
  const concurrency = wholeOf(values.concurrency);
  const [name, filter] = [values.name.trim(), values.filter.trim()];
  // A campaign that was started keeps its devices and its start.
  const isDraft = campaign === undefined || campaign.state === 'draft';
  const images = useImages();
  const { change, save } = useSave('/v3/update-campaigns', campaign);
  const navigate = useNavigate();
  const submit = () => {
    if (image === null || concurrency === undefined) return;
    const draft = { group_id: group, filter: filter === '' ? null : filter };
    save(
      {
        name,
        firmware_image_id: image,
        ...(isDraft && draft),
        // Sent only if changed: an input drops seconds, and has only one of the two equal hours when clocks are set back.
        ...(values.starts !== starts && { when: utcTime(values.starts) }),
        ...(values.ends !== ends && { ends_at: utcTime(values.ends) }),
        window: from === '' ? null : { from, to },
        concurrency,
      },
      ({ id }) => {
        // The next page may take a while to load. Until then, the dialog would create another one. It still holds the page.
        onClose();
        if (!campaign) void navigate({ to: `/campaigns/${id}` as '/', ignoreBlocker: true });
      },
    );
  };
  const missing =
    (images.areNone && campaign === undefined && 'Upload a package first.') ||
    ((name === '' || image === null) && 'Enter a name and choose a package.') ||
    (![values.starts, values.ends].every(isLocalTime) && 'Enter years of four digits.') ||
    ((from === '') !== (to === '') && 'Enter both times of the window, or none.') ||
    (concurrency === undefined && 'Enter how many devices are updated at once.') ||
    undefined;
  return (
    <FormDialog
      title={campaign ? `Change the campaign ${campaign.name}` : 'Create a campaign'}
      verb={campaign ? 'Save' : 'Create a draft'}
      needs="campaigns"
      change={change}
      onSubmit={submit}
      onClose={onClose}
      unavailable={missing}
    >
      <TextInput label="Name" maxLength={128} data-autofocus {...text('name')} />
      {campaign === undefined && <Select label="Package" {...images.input} searchable {...choice('image')} />}
      {isDraft && (
        <>
          <GroupSelect label="Device group" placeholder="all groups" {...choice('group')} />
          <TextInput
            label="Filter"
            description="In the form of the device list filter. Without group and filter: all devices"
            placeholder="endpoint_type=meter&vendor_id=acme"
            {...text('filter')}
          />
        </>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {isDraft && (
          <TextInput type="datetime-local" label="Starts" description="Empty: immediately" {...text('starts')} />
        )}
        <TextInput type="datetime-local" label="Ends" description="Empty: after 90 days" {...text('ends')} />
      </SimpleGrid>
      <Group grow align="flex-end">
        <TextInput type="time" label="Updates begin from" description="Time of day in UTC" {...text('from')} />
        <TextInput type="time" label="Until" description="Empty: all day" {...text('to')} />
      </Group>
      <NumberInput label="Devices at once" min={1} max={concurrencyMax} {...number('concurrency')} />
    </FormDialog>
  );
};
