import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A question above the page. Its heading is not another banner of the page. */
export const Dialog = ({ title, onClose, children }: DialogProps) => (
  <Modal
    opened
    onClose={onClose}
    title={title}
    closeButtonProps={{ 'aria-label': 'Close' }}
    attributes={{ header: { role: 'presentation' } }}
  >
    {children}
  </Modal>
);
