import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import type { Permission } from '../api/permissions.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { ActionButton } from './permitted.tsx';

interface FormDialogProps {
  title: string;
  /** On the button that does it. */
  verb: string;
  needs: Permission;
  /** Of `useChange`. */
  change: { isPending: boolean; error: unknown };
  onSubmit: () => void;
  onClose: () => void;
  /** Why it cannot be done yet. */
  unavailable?: string | undefined;
  /** It cannot be undone. */
  isDangerous?: boolean;
  children: ReactNode;
}

/** Asks for what an action needs, or whether it is meant; shows why it failed. */
export const FormDialog = (props: FormDialogProps) => {
  const { title, verb, needs, change, onSubmit, onClose, unavailable, isDangerous = false, children } = props;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (unavailable === undefined && !change.isPending) onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          {change.error !== null && <Failure error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <ActionButton
              needs={needs}
              unavailable={unavailable}
              loading={change.isPending}
              onClick={onSubmit}
              {...(isDangerous && { color: 'red.9' })}
            >
              {verb}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
};
