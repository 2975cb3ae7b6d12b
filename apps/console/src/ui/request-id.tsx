import { Code, Text } from '@mantine/core';

/** Finds a request in the logs of the service. */
export const RequestId = ({ id }: { id: string }) => (
  <Text size="xs" c="dimmed" className="wrap">
    Request <Code>{id}</Code>
  </Text>
);
