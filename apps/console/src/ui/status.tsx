import { Badge, type MantineColor } from '@mantine/core';

/** A state in a word and a colour. */
export const Status = ({ color, children }: { color: MantineColor; children: string }) => (
  <Badge variant="dot" color={color} tt="none" fw={500} radius="sm">
    {children}
  </Badge>
);

/** Of what can be switched off: ACTIVE, INACTIVE, EXPIRED. */
export const ActiveState = ({ status }: { status: string }) => (
  <Status color={status === 'ACTIVE' ? 'teal' : 'gray'}>{status.toLowerCase()}</Status>
);
