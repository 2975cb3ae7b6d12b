import { useDisclosure } from '@mantine/hooks';
import { type ComponentType, createContext, type ReactNode, useCallback, useContext, useState } from 'react';
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

/** Creates a dialog; `close` closes it. */
type Creates = (close: () => void) => ReactNode;

/** The dialog that is opened: one that only has to be closed, or one that `children` creates. */
type Opened =
  { Dialog: ComponentType<{ onClose: () => void }>; children?: never } | { Dialog?: never; children: Creates };

/** Shows a dialog in place of the button that opens it. */
const Showing = createContext<((creates: Creates) => void) | undefined>(undefined);

/**
 * Shows the dialogs of the buttons in it, with the record as it was when the dialog was opened. A button may be gone before
 * its dialog is closed: a list that is read again may be without its row.
 */
export const ShowsDialogs = ({ children }: { children: ReactNode }) => {
  const [creates, setCreates] = useState<Creates>();
  const show = useCallback((next: Creates) => setCreates(() => next), []);
  const close = useCallback(() => setCreates(undefined), []);
  return (
    <>
      <Showing value={show}>{children}</Showing>
      {creates?.(close)}
    </>
  );
};

/** A button, and the dialog that it opens. */
export const Opens = (props: OpensProps & Opened) => {
  const { label, what, size, needs, unavailable, isMain = false, Dialog, children } = props;
  const show = useContext(Showing);
  const [isOpen, { open, close }] = useDisclosure();
  const creates: Creates = Dialog ? (closes) => <Dialog onClose={closes} /> : children;
  return (
    <>
      <ActionButton
        needs={needs}
        unavailable={unavailable}
        variant={isMain ? 'filled' : 'default'}
        size={size ?? (what === undefined ? 'sm' : 'compact-xs')}
        {...(what !== undefined && { 'aria-label': `${label} ${what}` })}
        onClick={show ? () => show(creates) : open}
      >
        {label}
      </ActionButton>
      {isOpen && creates(close)}
    </>
  );
};
