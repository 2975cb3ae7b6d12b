import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  label: string;
  /** The number, or a link to what it counts. */
  children: ReactNode;
  /** Text beside the number. */
  more?: string | undefined;
  /** Share of a whole, from 0 to 1. */
  share?: number | undefined;
}

/** Shows how many there are of something. */
export const Figure = ({ label, children, more, share }: FigureProps) => (
  <Paper withBorder component="section" aria-label={label} p="md">
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group gap="xs" align="baseline">
        <Text fz={28} fw={650} lh={1.1}>
          {children}
        </Text>
        <Text size="xs" c="dimmed">
          {more}
        </Text>
      </Group>
      {share !== undefined && <Progress value={share * 100} size={4} aria-label={`Share of ${label.toLowerCase()}`} />}
    </Stack>
  </Paper>
);
