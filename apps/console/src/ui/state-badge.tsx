import { Badge } from '@mantine/core';

const colors: Record<string, string> = {
  registered: 'teal',
  bootstrapped: 'blue',
  deregistered: 'gray',
  unenrolled: 'gray',
  cloud_enrolling: 'blue',
  suspended: 'orange',
};

/** In the words of the filters, where those of the API say less. */
const words: Record<string, string> = { unenrolled: 'never registered', cloud_enrolling: 'enrolling' };

/** The state of a device in a word and a colour. */
export const StateBadge = ({ state }: { state: string }) => (
  <Badge variant="dot" color={colors[state] ?? 'gray'} tt="none" fw={500} radius="sm">
    {words[state] ?? state}
  </Badge>
);
