import { useDisclosure } from '@mantine/hooks';
import type { ComponentType, ReactNode } from 'react';
import type { Need } from '../api/permissions.ts';
import { ActionButton } from './permitted.tsx';

export interface OpensProps {
  label: string;
  /** The object of the action, for screen readers, if the label alone does not name it. */
  what?: string;
  /** By default, a button with `what` has the size for a row of a table. */
  size?: 'compact-xs' | 'sm' | undefined;
  needs: Need;
  /** Another reason why the action is not possible now. */
  unavailable?: string | undefined;
  /** The main action of its page. */
  isMain?: boolean;
}

/** The dialog that is opened: one that only has to be closed, or one that `children` creates; `close` closes it. */
type Opened =
  | { Dialog: ComponentType<{ onClose: () => void }>; children?: never }
  | { Dialog?: never; children: (close: () => void) => ReactNode };

/** A button, and the dialog that it opens. */
export const Opens = (props: OpensProps & Opened) => {
  const { label, what, size, needs, unavailable, isMain = false, Dialog, children } = props;
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ActionButton
        needs={needs}
        unavailable={unavailable}
        variant={isMain ? 'filled' : 'default'}
        size={size ?? (what === undefined ? 'sm' : 'compact-xs')}
        {...(what !== undefined && { 'aria-label': `${label} ${what}` })}
        onClick={open}
      >
        {label}
      </ActionButton>
      {isOpen && (Dialog ? <Dialog onClose={close} /> : children(close))}
    </>
  );
};
