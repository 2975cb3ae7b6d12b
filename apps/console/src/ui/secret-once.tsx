import { Button, Code, Group, Text } from '@mantine/core';
import { Copy } from './copy.tsx';
import { Dialog } from './form-dialog.tsx';
import { LeaveQuestion } from './leave-question.tsx';
import { Notice } from './notice.tsx';

interface SecretOnceProps {
  title: string;
  /** Without a secret, nothing is shown. */
  secret: string | undefined;
  /** What the secret is for, and what to do with it now. */
  children: string;
  onClose: () => void;
}

/** A secret that the service shows only now: one of the buttons closes the dialog, and leaving the page has to be confirmed. */
export const SecretOnce = ({ title, secret, children, onClose }: SecretOnceProps) =>
  secret !== undefined && (
    <Dialog title={title} onClose={onClose} onlyButtonsClose>
      <Notice tone="warning">Copy it now: it is not shown again.</Notice>
      <Code block className="wrap" style={{ whiteSpace: 'pre-wrap' }}>
        {secret}
      </Code>
      <Text size="sm">{children}</Text>
      <Group justify="flex-end">
        <Copy text={secret} />
        <Button onClick={onClose}>Close</Button>
      </Group>
      <LeaveQuestion isRunning endsWithTab>
        The secret is not shown again after you leave.
      </LeaveQuestion>
    </Dialog>
  );
