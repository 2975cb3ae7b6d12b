import type { AnswerOf, InputOf, Operation } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import type { Need } from '../api/permissions.ts';
import { useChange } from '../api/queries.ts';
import { FormDialog } from './form-dialog.tsx';
import { Opens, type OpensProps } from './opens.tsx';

interface QuestionProps<K extends Operation> {
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

const Question = <K extends Operation>(props: QuestionProps<K> & { onClose: () => void }) => {
  const { verb, what, needs, operation, input, changes, onDone, onClose, children } = props;
  const change = useChange(operation, changes);
  return (
    <FormDialog
      title={`${verb} ${what}?`}
      verb={verb}
      needs={needs}
      change={change}
      onSubmit={() =>
        change.mutate(input, {
          onSuccess: (answer) => {
            onClose();
            onDone?.(answer);
          },
        })
      }
      onClose={onClose}
      isDangerous
    >
      <Text size="sm">{children}</Text>
    </FormDialog>
  );
};

/** A button for an action that cannot be undone: explains what will happen, and asks first. */
export const Confirm = <K extends Operation>({ size, ...question }: QuestionProps<K> & Pick<OpensProps, 'size'>) => (
  <Opens label={question.verb} what={question.what} needs={question.needs} size={size}>
    {(close) => <Question {...question} onClose={close} />}
  </Opens>
);
