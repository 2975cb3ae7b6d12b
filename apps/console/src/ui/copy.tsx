import { Button, type ButtonProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

/** How long it says that the text is copied. */
const copiedMs = 1_000;

/** Puts a text into the clipboard, or says that the browser refuses: it gives pages over plain http no clipboard. */
export const Copy = ({ text, ...props }: ButtonProps & { text: string }) => {
  const { copied, error, copy } = useClipboard({ timeout: copiedMs });
  return (
    <Button variant="default" {...props} onClick={() => copy(text)}>
      {copied ? 'Copied' : error ? 'Not copied: select the text' : 'Copy'}
    </Button>
  );
};
