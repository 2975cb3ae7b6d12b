import { Button, Group, Modal, Stack } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import type { Need } from '../api/permissions.ts';
import { Failure } from './failure.tsx';
import { ActionButton } from './permitted.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  size?: 'md' | 'lg';
  /** Only its buttons close it: neither the Escape key nor a click beside it. */
  onlyButtonsClose?: boolean;
  /** Not even its buttons close it. */
  isHeld?: boolean;
  children: ReactNode;
}

/** Tells a dialog whether another one is open above it. */
const Cover = createContext<(isCovered: boolean) => void>(() => undefined);

/** Gets the focus if the element that had it before is gone: the dialog below, or the main part of the page. */
const elementBelow = (): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>('[role=dialog]')].at(-1) ??
  document.querySelector<HTMLElement>('#content');

/** Mantine returns the focus only for a dialog that stays mounted after it is closed, and these are removed. */
const useFocusReturn = (): void => {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return;
      const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
      (isThere ? opener : elementBelow())?.focus({ preventScroll: true });
    },
    [opener],
  );
};

/** A dialog above the page. Its heading is not another banner of the page. */
export const Dialog = (props: DialogProps) => {
  const { title, onClose, size = 'md', onlyButtonsClose = false, isHeld = false, children } = props;
  const cover = useContext(Cover);
  const [isCovered, setCovered] = useState(false);
  useEffect(() => {
    cover(true);
    return () => cover(false);
  }, [cover]);
  useFocusReturn();
  return (
    <Cover value={setCovered}>
      <Modal
        opened
        onClose={onClose}
        title={title}
        size={size}
        // The Escape key closes one dialog at a time.
        closeOnEscape={!onlyButtonsClose && !isCovered}
        closeOnClickOutside={!onlyButtonsClose}
        closeButtonProps={{ 'aria-label': 'Close', disabled: isHeld }}
        attributes={{ header: { role: 'presentation' } }}
      >
        <Stack gap="md">{children}</Stack>
      </Modal>
    </Cover>
  );
};

interface FormDialogProps extends Omit<DialogProps, 'onlyButtonsClose' | 'isHeld'> {
  /** Label of the button that submits. */
  verb: string;
  needs: Need;
  /** The result of `useChange`. */
  change: { isPending: boolean; error: unknown };
  /** Fields of the request whose problems the children show at their inputs (`problemOf`). */
  fields?: readonly string[];
  onSubmit: () => void;
  /** Why the action is not possible yet. */
  unavailable?: string | undefined;
  /** The action cannot be undone. */
  isDangerous?: boolean;
  /** The children show the outcome; there is nothing more to do. */
  isDone?: boolean;
  /** Stops what takes a while. The dialog stays open until that has ended, as it does until any change has. */
  onStop?: () => void;
}

/** More than it takes until a change that was submitted is drawn as pending. */
const submittedMs = 100;

const everyStep = (): boolean => true;

/**
 * Whether nothing closes the dialog, not even the way back in the browser: a dialog that is gone shows neither why its change
 * failed nor a secret that is shown only once. From the submit on; if nothing was sent, that ends by itself.
 */
const useHold = (isPending: boolean, canStop: boolean) => {
  const [isSubmitted, setSubmitted] = useState(false);
  if (isSubmitted && isPending) setSubmitted(false);
  useEffect(() => {
    if (!isSubmitted) return undefined;
    const timer = setTimeout(() => setSubmitted(false), submittedMs);
    return () => clearTimeout(timer);
  }, [isSubmitted]);
  const isHeld = isSubmitted || (isPending && !canStop);
  useBlocker({ shouldBlockFn: everyStep, enableBeforeUnload: isHeld, disabled: !isHeld });
  return { isHeld, markSubmitted: () => setSubmitted(true) };
};

/** Asks for the input of an action, or for a confirmation; shows why the action failed. */
export const FormDialog = (props: FormDialogProps) => {
  const { title, size = 'md', verb, needs, change, fields, onSubmit, onClose, unavailable, children } = props;
  const { isDangerous = false, isDone = false, onStop } = props;
  const stop = change.isPending ? onStop : undefined;
  const { isHeld, markSubmitted } = useHold(change.isPending, onStop !== undefined);
  const leave = useRef<HTMLButtonElement>(null);
  // The button that had the focus is no longer there.
  useEffect(() => {
    if (isDone) leave.current?.focus({ preventScroll: true });
  }, [isDone]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The Enter key submits only through the button, which refuses an impossible action.
    if (change.isPending || isHeld) return;
    // The next key may be the Escape key, or Enter again.
    markSubmitted();
    onSubmit();
  };
  return (
    <Dialog
      title={title}
      onClose={stop ?? onClose}
      size={size}
      onlyButtonsClose={stop !== undefined || isHeld}
      isHeld={isHeld}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          {change.error !== null && <Failure error={change.error} except={fields} />}
          <Group justify="flex-end">
            <Button ref={leave} variant="default" disabled={isHeld} onClick={stop ?? onClose}>
              {stop ? 'Stop' : isDone ? 'Close' : 'Cancel'}
            </Button>
            {!isDone && (
              <ActionButton
                type="submit"
                needs={needs}
                unavailable={unavailable}
                loading={change.isPending}
                {...(isDangerous && { color: 'red.9' })}
              >
                {verb}
              </ActionButton>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
};
