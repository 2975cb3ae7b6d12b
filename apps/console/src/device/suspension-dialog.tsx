import type { Device, DeviceBlockCategory } from '@lanyard/client/browser';
import { Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSuspensionCategories } from '../api/choices.ts';
import { useChange } from '../api/queries.ts';
import { FormDialog, nameOf, suspensionEffect, useFields } from '../ui/index.ts';
import { suspensionVerb } from './suspension.ts';

type Category = DeviceBlockCategory['reference'];

const changed = ['GET /v3/devices/{id}', 'GET /v3/devices', 'GET /v3/explain'] as const;

const consequenceOf = (resumes: boolean, { system_suspended: staysSuspended }: Device): string => {
  if (!resumes) return suspensionEffect.one;
  return staysSuspended
    ? 'The device stays suspended until the system has resumed it, too.'
    : 'The device may connect again, and does so the next time that it tries.';
};

interface SuspensionDialogProps {
  device: Device;
  onClose: () => void;
}

/** Suspends the device, or resumes it, with a category. */
export const SuspensionDialog = ({ device, onClose }: SuspensionDialogProps) => {
  // The question stays the same until the answer arrives, although the device has changed by then.
  const [verb] = useState(suspensionVerb(device));
  const resumes = verb === 'Resume';
  // The category of the suspension cannot be changed on resuming (docs/spec.md 3.1).
  const given = resumes ? device.last_operator_suspended_category : null;
  const { values, text, choice } = useFields({
    category: (given ?? 'maintenance') as string | null,
    description: '',
  });
  const categories = useSuspensionCategories();
  const change = useChange(resumes ? 'POST /v3/devices/{id}/resume' : 'POST /v3/devices/{id}/suspend', changed);
  const confirm = () => {
    const { category, description } = values;
    const body = { category: category as Category, ...(description !== '' && { description }) };
    change.mutate({ path: { id: device.id }, body }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`${verb} the device ${nameOf(device)}`}
      verb={verb}
      needs="devices.suspend"
      change={change}
      onSubmit={confirm}
      onClose={onClose}
      isDangerous={!resumes}
    >
      <Text size="sm">{consequenceOf(resumes, device)}</Text>
      <Select
        label="Category"
        {...categories.input}
        allowDeselect={false}
        disabled={given !== null}
        {...choice('category')}
      />
      <TextInput
        label="Description"
        description="Optional text for the event log, with the category"
        {...text('description')}
      />
    </FormDialog>
  );
};
