import { Code, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Copy } from './copy.tsx';
import { Icon, type IconName } from './icon.tsx';

interface EmptyProps {
  icon: IconName;
  title: string;
  /** What to do next. */
  children: ReactNode;
  /** A command that does it. */
  command?: string;
}

/** Takes the place of content that does not exist: says why, and what to do next. */
export const Empty = ({ icon, title, children, command }: EmptyProps) => (
  <Stack align="center" gap="xs" py="xl" px="md" ta="center">
    <ThemeIcon variant="light" size={48} radius="xl">
      <Icon name={icon} size={24} />
    </ThemeIcon>
    <Title order={2}>{title}</Title>
    <Text size="sm" c="dimmed" maw="34rem" component="div">
      {children}
    </Text>
    {command !== undefined && (
      <Group gap="xs" justify="center">
        <Code fz="sm">{command}</Code>
        <Copy text={command} size="compact-xs" />
      </Group>
    )}
  </Stack>
);
