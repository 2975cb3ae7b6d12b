import { Text } from '@mantine/core';
import type { Permission } from '../api/permissions.ts';
import { FormDialog } from './form-dialog.tsx';
import { Opens } from './opens.tsx';

interface ConfirmProps {
  verb: string;
  /** What it is done to, for the title and for screen readers. */
  what: string;
  needs: Permission;
  change: { isPending: boolean; error: unknown; mutate: (input: never, options: { onSuccess: () => void }) => void };
  input: object;
  /** What happens then. */
  children: string;
}

/** A button of a row for what cannot be undone: asks first, and says what happens. */
export const Confirm = ({ verb, what, needs, change, input, children }: ConfirmProps) => (
  <Opens label={verb} what={what} needs={needs}>
    {(close) => (
      <FormDialog
        title={`${verb} ${what}?`}
        verb={verb}
        needs={needs}
        change={change}
        onSubmit={() => change.mutate(input as never, { onSuccess: close })}
        onClose={close}
        isDangerous
      >
        <Text size="sm">{children}</Text>
      </FormDialog>
    )}
  </Opens>
);
