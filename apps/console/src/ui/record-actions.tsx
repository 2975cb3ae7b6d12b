import type { InputOf, Operation } from '@lanyard/client/browser';
import { Group } from '@mantine/core';
import type { ComponentType } from 'react';
import type { Need } from '../api/permissions.ts';
import { Confirm } from './confirm.tsx';
import { Opens } from './opens.tsx';
import type { Column } from './table.tsx';

/** Properties of a dialog that changes a record, or creates one. */
export interface RecordDialogProps<R> {
  /** The record to change; without it, the dialog creates one. */
  record?: R;
  onClose: () => void;
}

interface RecordActions<R> {
  /** As people call it: `the group Cellar`. */
  what: (record: R) => string;
  needs: Need;
  /** The dialog that changes the record. */
  Dialog?: ComponentType<RecordDialogProps<R>>;
  removal: Operation;
  /** Whether it can be deleted now; by default, it can. */
  isRemovable?: (record: R) => boolean;
  /** Path parameters of the removal; by default, the id of the record. */
  pathOf?: (record: R) => Record<string, string>;
  /** Operations that are read again after a removal. */
  changes: readonly Operation[];
  /** What the removal means for everything that uses the record. */
  consequence: string;
}

/** The column with the buttons that change and delete a record. */
export const recordActions = <R extends { id: string }>(actions: RecordActions<R>): Column<R> => {
  const { what, needs, Dialog, removal, changes, consequence } = actions;
  const { isRemovable = () => true, pathOf = ({ id }) => ({ id }) } = actions;
  return {
    title: 'Actions',
    cell: (record) => (
      <Group gap="xs">
        {Dialog && (
          <Opens label="Change" what={what(record)} needs={needs}>
            {(close) => <Dialog record={record} onClose={close} />}
          </Opens>
        )}
        {isRemovable(record) && (
          <Confirm
            verb="Delete"
            what={what(record)}
            needs={needs}
            operation={removal}
            input={{ path: pathOf(record) } as InputOf<Operation>}
            changes={changes}
          >
            {consequence}
          </Confirm>
        )}
      </Group>
    ),
  };
};
