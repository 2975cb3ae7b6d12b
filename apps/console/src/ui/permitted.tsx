import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Need, useRefusal } from '../api/permissions.ts';
import { Empty } from './empty.tsx';

interface PermittedProps {
  needs: Need;
  children: ReactNode;
}

/** A page, or a part of one, for people who may see it; others are told why they may not. */
export const Permitted = ({ needs, children }: PermittedProps) => {
  const refusal = useRefusal(needs);
  if (refusal === undefined) return children;
  return (
    <Empty icon="locked" title="Your permissions do not include this">
      {refusal}
    </Empty>
  );
};

export interface ActionButtonProps extends ButtonProps {
  needs: Need;
  /** Not for a button that submits a form. */
  onClick?: () => void;
  type?: 'submit';
  /** Another reason why the action is not possible now. */
  unavailable?: string | undefined;
  'aria-label'?: string;
  children: ReactNode;
}

/** A button that explains why it does nothing if the permission is missing. It stays in the tab order. @public */
export const ActionButton = ({ needs, onClick, unavailable, children, ...props }: ActionButtonProps) => {
  const reason = useRefusal(needs) ?? unavailable;
  const isOff = reason !== undefined;
  return (
    <Tooltip label={reason} disabled={!isOff} multiline maw="20rem" events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...props}
        onClick={(event) => (isOff ? event.preventDefault() : onClick?.())}
        aria-disabled={isOff || undefined}
        data-disabled={isOff || undefined}
        title={reason}
      >
        {children}
      </Button>
    </Tooltip>
  );
};
