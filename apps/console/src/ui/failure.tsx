import { CommandFailed, CommandPending, NoAnswer, RequestFailed } from '@lanyard/client/browser';
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

/** Outcomes of commands, by error; docs/errors.md has the others, which are rare. */
const outcomes: Record<string, string> = {
  BAD_REQUEST: 'The device does not accept the value',
  CONNECTION_FAILED: 'The connection to the device ended before the answer',
  DEVICE_BLOCKED: 'The device is suspended',
  FORBIDDEN: 'The device denies access to this server',
  METHOD_NOT_ALLOWED: 'The resource does not support the operation',
  NOT_CONNECTED: 'The device is not ready: it rejected the request',
  REQUEST_CANCELLED: 'The command was cancelled',
  REQUEST_EXPIRED: 'The device did not connect before the command expired',
  RESOURCE_NOT_FOUND: 'The device has no such resource',
  TIMEOUT: 'The device did not answer',
  UNAUTHORIZED: 'The device denies access to this server',
};

/** Errors of a browser for a file that was deleted or changed after it was chosen. */
const unreadable = new Set(['NotFoundError', 'NotReadableError']);

const titleOf = (error: unknown): string => {
  if (error instanceof NoAnswer) return 'The gateway does not answer';
  if (error instanceof CommandFailed) return 'The command failed';
  if (error instanceof CommandPending) return 'The device has not answered yet';
  if (error instanceof RequestFailed) return titles[error.status] ?? 'The request failed';
  if (error instanceof DOMException && unreadable.has(error.name)) return 'The file cannot be read';
  return 'The console has failed';
};

const textOf = (error: unknown): string => {
  if (error instanceof RequestFailed) return error.text;
  if (error instanceof CommandFailed)
    return `${outcomes[error.code ?? ''] ?? 'The device did not execute the command'} (${error.code ?? error.status}).`;
  if (error instanceof CommandPending) return 'The command waits for the device; the tab Commands shows its result.';
  return error instanceof Error ? error.message : String(error);
};

/** The API's problem with a field of the request; undefined if there is none. */
export const problemOf = (error: unknown, field: string): string | undefined =>
  error instanceof RequestFailed ? error.fields.find(({ name }) => name === field)?.message : undefined;

export interface FailureProps {
  error: unknown;
  /** Fields whose problems are shown elsewhere. */
  except?: readonly string[] | undefined;
  onRetry?: () => void;
}

/** Shows an error as the API describes it, with the request id under which the logs have it. */
export const Failure = ({ error, except = [], onRetry }: FailureProps) => {
  const failed = error instanceof RequestFailed ? error : undefined;
  const fields = failed?.fields.filter(({ name }) => !except.includes(name)) ?? [];
  return (
    <Notice tone="bad" title={titleOf(error)} styles={{ title: { color: 'var(--mantine-color-error)' } }}>
      <Stack gap="xs">
        <Text size="sm" className="wrap">
          {textOf(error)}
        </Text>
        {fields.length > 0 && (
          <List size="sm">
            {fields.map(({ name, message }) => (
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
