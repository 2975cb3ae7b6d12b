import type { DeviceBlockCategory } from '@lanyard/client/browser';
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { ActionButton } from '../ui/permitted.tsx';

interface SuspensionProps {
  deviceId: string;
  isSuspended: boolean;
}

type Category = DeviceBlockCategory['reference'];

const changed = ['GET /v3/devices/{id}', 'GET /v3/devices', 'GET /v3/explain'] as const;

const SuspensionDialog = ({ deviceId, isSuspended, onClose }: SuspensionProps & { onClose: () => void }) => {
  const verb = isSuspended ? 'Resume' : 'Suspend';
  const [category, setCategory] = useState<Category>('maintenance');
  const [description, setDescription] = useState('');
  const { data } = useRead('GET /v3/device-block-categories', { query: { limit: 100 } });
  const change = useChange(isSuspended ? 'POST /v3/devices/{id}/resume' : 'POST /v3/devices/{id}/suspend', changed);
  const confirm = () =>
    change.mutate(
      { path: { id: deviceId }, body: { category, ...(description !== '' && { description }) } },
      { onSuccess: onClose },
    );
  return (
    <Dialog title={`${verb} the device`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          {isSuspended
            ? 'It may connect again.'
            : 'It is disconnected and refused until it is resumed. Commands that wait for it fail.'}
        </Text>
        <Select
          label="Category"
          data={data?.data.map(({ reference, description: label }) => ({ value: reference, label })) ?? []}
          value={category}
          onChange={(value) => value !== null && setCategory(value as Category)}
          allowDeselect={false}
        />
        <TextInput
          label="Description"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {change.error && <Failure error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color={isSuspended ? undefined : 'red.9'} loading={change.isPending} onClick={confirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};

/** Suspends the device, or resumes it, with a category. */
export const SuspensionButton = ({ deviceId, isSuspended }: SuspensionProps) => {
  // What is asked stays the same until the answer is there, although the device has changed by then.
  const [asked, setAsked] = useState<boolean>();
  return (
    <>
      <ActionButton needs="devices.suspend" variant="default" onClick={() => setAsked(isSuspended)}>
        {isSuspended ? 'Resume' : 'Suspend'}
      </ActionButton>
      {asked !== undefined && (
        <SuspensionDialog deviceId={deviceId} isSuspended={asked} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
};
