import type { AnswerOf, InputOf, Operation } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import type { Need } from '../api/permissions.ts';
import { useChange } from '../api/queries.ts';
import { FormDialog } from './form-dialog.tsx';
import { Opens, type OpensProps } from './opens.tsx';

interface ConfirmProps<K extends Operation> extends Pick<OpensProps, 'size'> {
  verb: string;
  /** The object of the action, for the title and for screen readers. */
  what: string;
  needs: Need;
  operation: K;
  input: InputOf<K>;
  /** Operations that are read again afterwards. */
  changes: readonly Operation[];
  onDone?: (answer: AnswerOf<K>) => void;
  /** What the action does. */
  children: string;
}

/** A button for an action that cannot be undone: explains what will happen, and asks first. */
export const Confirm = <K extends Operation>(props: ConfirmProps<K>) => {
  const { verb, what, needs, size, operation, input, changes, onDone, children } = props;
  const change = useChange(operation, changes);
  return (
    <Opens label={verb} what={what} needs={needs} size={size}>
      {(close) => (
        <FormDialog
          title={`${verb} ${what}?`}
          verb={verb}
          needs={needs}
          change={change}
          onSubmit={() =>
            change.mutate(input, {
              onSuccess: (answer) => {
                close();
                onDone?.(answer);
              },
            })
          }
          onClose={close}
          isDangerous
        >
          <Text size="sm">{children}</Text>
        </FormDialog>
      )}
    </Opens>
  );
};
