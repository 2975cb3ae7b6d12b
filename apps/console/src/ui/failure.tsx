import { NoAnswer, RequestFailed } from '@lanyard/client/browser';
import { Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { Notice } from './notice.tsx';
import { RequestId } from './request-id.tsx';

const titles: Record<number, string> = {
  403: 'Not permitted',
  404: 'Not found',
  409: 'This conflicts with what exists',
  412: 'Changed by another client in the meantime',
  429: 'Too many requests',
  503: 'The service is not available at the moment',
};

const titleOf = (error: unknown): string => {
  if (error instanceof NoAnswer) return 'The gateway does not answer';
  if (error instanceof RequestFailed) return titles[error.status] ?? 'The request failed';
  return 'The console has failed';
};

export interface FailureProps {
  error: unknown;
  onRetry?: () => void;
}

/** An error as the API describes it, with the request id that finds it in the logs. */
export const Failure = ({ error, onRetry }: FailureProps) => {
  const failed = error instanceof RequestFailed ? error : undefined;
  return (
    <Notice tone="bad" title={titleOf(error)} styles={{ title: { color: 'var(--mantine-color-error)' } }}>
      <Stack gap="xs">
        <Text size="sm" className="wrap">
          {failed?.text ?? (error instanceof Error ? error.message : String(error))}
        </Text>
        {failed && failed.fields.length > 0 && (
          <List size="sm">
            {failed.fields.map(({ name, message }) => (
              <List.Item key={name + message}>
                <Code>{name}</Code> {message}
              </List.Item>
            ))}
          </List>
        )}
        <Group gap="md">
          {failed?.requestId !== undefined && <RequestId id={failed.requestId} />}
          {onRetry && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </Group>
      </Stack>
    </Notice>
  );
};
