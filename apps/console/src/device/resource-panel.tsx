import { Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { lanyard } from '../api/lanyard.ts';
import { useRefusal } from '../api/permissions.ts';
import { useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { ActionButton, ChangeButton, Failure, Panel } from '../ui/index.ts';
import { HistoryChart } from './history-chart.tsx';
import { subscribed, subscribing } from './subscribing.ts';
import { faultOf, isNumeric, type Resource, symbolOf } from './values.ts';

const done = { GET: 'Read', PUT: 'Written', POST: 'Executed' } as const;

/** Of a device, of which it is looked whether the person's is among them. */
const subscriptionsMax = 1_000;

/** A registration of the device ends subscriptions. */
const everyMs = 5_000;

type Method = keyof typeof done;

interface ResourcePanelProps {
  deviceId: string;
  resource: Resource;
}

const useCommand = ({ deviceId, resource }: ResourcePanelProps) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ method, payload }: { method: Method; payload?: string }) => {
      const command = { method, uri: resource.resource_path, ...(payload !== undefined && { payload }) };
      return { method, ...(await lanyard.command(deviceId, command)) };
    },
    onSettled: () =>
      Promise.all(
        (['GET /v3/devices/{deviceId}/echo', 'GET /v3/device-requests'] as const).map((read) =>
          client.invalidateQueries({ queryKey: [read] }),
        ),
      ),
  });
};

/** Why an operation is not offered; undefined: it is, also when the definition is not known. */
const disallowed = ({ operations }: Resource, operation: 'R' | 'W' | 'E'): string | undefined =>
  operations === undefined || operations.includes(operation) ? undefined : 'The object definition does not allow this.';

/** Subscribes the person's own key: the device then reports the resource whenever it changes. */
const Observe = ({ deviceId, resource }: ResourcePanelProps) => {
  const { resource_path: path } = resource;
  const { subject } = useSession();
  const enabled = useRefusal('subscriptions') === undefined;
  const input = { path: { deviceId }, query: { limit: subscriptionsMax } };
  const { data } = useRead('GET /v3/devices/{deviceId}/subscriptions', input, { enabled, everyMs });
  const isOn = data?.data.some(({ key_id: key, resource_path: of }) => key === subject.id && of === path) ?? false;
  return (
    <ChangeButton
      key={String(isOn)}
      needs="subscriptions"
      unavailable={isOn ? undefined : disallowed(resource, 'R')}
      changes={subscribed}
      {...subscribing(isOn ? 'DELETE' : 'PUT', deviceId, path)}
    >
      {isOn ? 'Stop observing' : 'Observe'}
    </ChangeButton>
  );
};

const Actions = (props: ResourcePanelProps) => {
  const { type, unit } = props.resource;
  const [text, setText] = useState('');
  const command = useCommand(props);
  const send = (method: Method, payload?: string) =>
    command.mutate({ method, ...(payload !== undefined && { payload }) });
  const fault = text === '' && type !== 'string' ? 'Enter a value.' : faultOf(type, text);
  const sends = { needs: 'commands', loading: command.isPending } as const;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <ActionButton
          {...sends}
          variant="default"
          unavailable={disallowed(props.resource, 'R')}
          onClick={() => send('GET')}
        >
          Read
        </ActionButton>
        <ActionButton
          {...sends}
          variant="default"
          unavailable={disallowed(props.resource, 'E')}
          onClick={() => send('POST', text)}
        >
          Execute
        </ActionButton>
        <Observe {...props} />
      </Group>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send('PUT', text);
        }}
      >
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={type === undefined ? 'Value' : `Value (${[type, symbolOf(unit)].filter(Boolean).join(', ')})`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={text === '' ? undefined : fault}
          />
          <ActionButton {...sends} type="submit" unavailable={disallowed(props.resource, 'W') ?? fault}>
            Write
          </ActionButton>
        </Group>
      </form>
      <div role="status">
        {command.isPending && (
          <Text size="sm" c="dimmed">
            The command waits for the device.
          </Text>
        )}
        {command.data && (
          <Text size="sm" className="wrap">
            {done[command.data.method]} {command.data.text !== '' && <Code>{command.data.text}</Code>}
          </Text>
        )}
      </div>
      {command.error && <Failure error={command.error} />}
    </Stack>
  );
};

/** What can be done with a resource, and how its value changed. */
export const ResourcePanel = ({ deviceId, resource }: ResourcePanelProps) => (
  <Panel title={[resource.name, resource.resource_path].filter(Boolean).join(' ')}>
    <Stack gap="md">
      {isNumeric(resource) && <HistoryChart deviceId={deviceId} resource={resource} />}
      <Actions deviceId={deviceId} resource={resource} />
    </Stack>
  </Panel>
);
