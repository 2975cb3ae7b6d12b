import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Permission } from '../api/permissions.ts';
import { ActionButton } from './permitted.tsx';

interface OpensProps {
  label: string;
  /** Of the button of a row: what it is done to, for screen readers. */
  what?: string;
  needs: Permission;
  /** The main action of its page. */
  isMain?: boolean;
  /** The dialog; `close` closes it. */
  children: (close: () => void) => ReactNode;
}

/** A button, and the dialog that it opens. */
export const Opens = ({ label, what, needs, isMain = false, children }: OpensProps) => {
  const [isOpen, { open, close }] = useDisclosure();
  const ofRow = what === undefined ? {} : ({ size: 'compact-xs', 'aria-label': `${label} ${what}` } as const);
  return (
    <>
      <ActionButton needs={needs} variant={isMain ? 'filled' : 'default'} onClick={open} {...ofRow}>
        {label}
      </ActionButton>
      {isOpen && children(close)}
    </>
  );
};
