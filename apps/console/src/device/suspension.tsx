import type { DeviceBlockCategory } from '@lanyard/client/browser';
import { Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSuspensionCategories } from '../api/choices.ts';
import { useChange } from '../api/queries.ts';
import { useFields } from '../ui/fields.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { ActionButton } from '../ui/permitted.tsx';

interface SuspensionProps {
  deviceId: string;
  isSuspended: boolean;
}

type Category = DeviceBlockCategory['reference'];

const changed = ['GET /v3/devices/{id}', 'GET /v3/devices', 'GET /v3/explain'] as const;

const SuspensionDialog = ({ deviceId, isSuspended, onClose }: SuspensionProps & { onClose: () => void }) => {
  const verb = isSuspended ? 'Resume' : 'Suspend';
  const { values, text, choice } = useFields({ category: 'maintenance' as string | null, description: '' });
  const categories = useSuspensionCategories();
  const change = useChange(isSuspended ? 'POST /v3/devices/{id}/resume' : 'POST /v3/devices/{id}/suspend', changed);
  const confirm = () => {
    const { category, description } = values;
    const body = { category: category as Category, ...(description !== '' && { description }) };
    change.mutate({ path: { id: deviceId }, body }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`${verb} the device`}
      verb={verb}
      needs="devices.suspend"
      change={change}
      onSubmit={confirm}
      onClose={onClose}
      isDangerous={!isSuspended}
    >
      <Text size="sm">
        {isSuspended
          ? 'It may connect again.'
          : 'It is disconnected and refused until it is resumed. Commands that wait for it fail.'}
      </Text>
      <Select label="Category" data={categories} allowDeselect={false} {...choice('category')} />
      <TextInput label="Description" {...text('description')} />
    </FormDialog>
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
