import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import type { Need } from '../api/permissions.ts';
import { Permitted } from './permitted.tsx';

interface PageProps {
  title: string;
  /** One line below the title. */
  about?: ReactNode;
  /** Buttons for the whole page. */
  actions?: ReactNode;
  /** What the person needs to see the parts of the page. */
  needs?: Need;
  children: ReactNode;
}

/** A page of the console: its title (also of the browser's tab), its actions, and its parts one below the other. */
export const Page = ({ title, about, actions, needs, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Lanyard`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Stack gap={4} align="flex-start">
          <Title order={1} className="wrap">
            {title}
          </Title>
          {about !== undefined && (
            <Text size="sm" c="dimmed" component="div">
              {about}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {needs === undefined ? children : <Permitted needs={needs}>{children}</Permitted>}
    </Stack>
  );
};

export interface PanelProps {
  title?: string;
  /** Content beside the title. */
  aside?: ReactNode;
  /** Removes the space around the content, for tables. */
  flush?: boolean;
  children: ReactNode;
}

/** A framed part of a page. */
export const Panel = ({ title, aside, flush = false, children }: PanelProps) => (
  <Paper withBorder component="section" aria-label={title} style={flush ? { overflow: 'hidden' } : {}}>
    {title !== undefined && (
      <Group justify="space-between" px="md" pt="md" pb={flush ? 'sm' : 0} gap="xs">
        <Title order={2}>{title}</Title>
        {aside}
      </Group>
    )}
    <Box p={flush ? 0 : 'md'}>{children}</Box>
  </Paper>
);
