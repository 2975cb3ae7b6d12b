import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface TitledProps {
  children: ReactNode;
  /** A second line: an id, a description, since when. */
  more?: ReactNode;
  isStrong?: boolean;
}

/** The content of a cell, and below it in grey an explanation. */
export const Titled = ({ children, more, isStrong = true }: TitledProps) => (
  <>
    <Text size="sm" component="div" className="wrap" {...(isStrong && { fw: 500 })}>
      {children}
    </Text>
    {Boolean(more) && (
      <Text size="xs" c="dimmed" component="div" className="wrap">
        {more}
      </Text>
    )}
  </>
);
