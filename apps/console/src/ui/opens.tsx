import { useDisclosure } from '@mantine/hooks';
import type { ComponentType, ReactNode } from 'react';
import type { Need } from '../api/permissions.ts';
import { ActionButton } from './permitted.tsx';

export interface OpensProps {
  label: string;
  /** What it is done to, for screen readers, where the label alone does not say it. */
  what?: string;
  /** By default, a button that says what it is done to is that of a row. */
  size?: 'compact-xs' | 'sm' | undefined;
  needs: Need;
  /** Another reason why it is not possible now. */
  unavailable?: string | undefined;
  /** The main action of its page. */
  isMain?: boolean;
}

/** What is opened: a dialog that needs nothing but to be closed, or one that `children` makes; `close` closes it. */
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
