import { Button, type ButtonProps, CopyButton } from '@mantine/core';

/** Puts a text into the clipboard. */
export const Copy = ({ text, ...props }: ButtonProps & { text: string }) => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <Button variant="default" {...props} onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
      </Button>
    )}
  </CopyButton>
);
