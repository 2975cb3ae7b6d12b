import { Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { lanyard } from '../api/lanyard.ts';
import { useRefusal } from '../api/permissions.ts';
import { useAction, useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { ActionButton, ChangeButton, Failure, FormDialog, Opens, Panel } from '../ui/index.ts';
import { HistoryChart } from './history-chart.tsx';
import { subscribed, subscribing } from './subscribing.ts';
import { answerText, faultOf, fieldLabel, isNumeric, type Resource } from './values.ts';

const done = { GET: 'Read', PUT: 'Written', POST: 'Executed' } as const;

/** Subscriptions of a device that are searched for the person's own. */
const subscriptionsMax = 1_000;

/** Subscriptions are read again, because a registration of the device ends them. */
const everyMs = 5_000;

/** A rule would subscribe again, and a subscription by request in its place would end with the registration of the device. */
const observedByRule = 'A presubscription rule observes this resource for you.';

type Method = keyof typeof done;

interface ResourcePanelProps {
  deviceId: string;
  resource: Resource;
}

const useCommand = ({ deviceId, resource }: ResourcePanelProps) =>
  useAction(
    async ({ method, payload }: { method: Method; payload?: string }) => {
      const command = { method, uri: resource.resource_path, ...(payload !== undefined && { payload }) };
      const { payload: answer, contentType } = await lanyard.command(deviceId, command);
      return { method, answer: answerText(answer, contentType) };
    },
    ['GET /v3/devices/{deviceId}/echo', 'GET /v3/device-requests'],
  );

/** Why an operation is not offered; undefined if it is, also when the definition is unknown. */
const disallowed = ({ operations }: Resource, operation: 'R' | 'W' | 'E'): string | undefined =>
  operations === undefined || operations.includes(operation) ? undefined : 'The object definition does not allow this.';

/** `Reboot /3/0/4` */
const titleOf = ({ name, resource_path: path }: Resource): string => (name === undefined ? path : `${name} ${path}`);

/** Subscribes the person's own key: the device then reports the resource whenever it changes. */
const Observe = ({ deviceId, resource }: ResourcePanelProps) => {
  const { resource_path: path } = resource;
  const { subject } = useSession();
  const enabled = useRefusal('subscriptions') === undefined;
  const input = { path: { deviceId }, query: { limit: subscriptionsMax } };
  const { data } = useRead('GET /v3/devices/{deviceId}/subscriptions', input, { enabled, everyMs });
  const own = data?.data.find(({ key_id: key, resource_path: of }) => key === subject.id && of === path);
  const isByRule = own?.origin === 'rule';
  const isOn = own !== undefined && !isByRule;
  return (
    <ChangeButton
      key={String(isOn)}
      needs="subscriptions"
      unavailable={isByRule ? observedByRule : isOn ? undefined : disallowed(resource, 'R')}
      changes={subscribed}
      {...subscribing(isOn ? 'DELETE' : 'PUT', deviceId, path)}
    >
      {isOn ? 'Stop observing' : 'Observe'}
    </ChangeButton>
  );
};

interface ExecuteDialogProps {
  what: string;
  onExecute: (text: string) => void;
  onClose: () => void;
}

/** Asks first, because an execution may restart or reset a device. The panel shows its outcome. */
const ExecuteDialog = ({ what, onExecute, onClose }: ExecuteDialogProps) => {
  const [text, setText] = useState('');
  return (
    <FormDialog
      title={`Execute ${what}?`}
      verb="Execute"
      needs="commands"
      change={{ isPending: false, error: null }}
      onSubmit={() => {
        onExecute(text);
        onClose();
      }}
      onClose={onClose}
    >
      <Text size="sm">The device does what its object definition says of the resource. That cannot be undone.</Text>
      <TextInput
        label="Arguments"
        description="Optional, for example 0,1='text'"
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </FormDialog>
  );
};

const Actions = (props: ResourcePanelProps) => {
  const { type } = props.resource;
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
        <Opens label="Execute" needs="commands" unavailable={disallowed(props.resource, 'E')}>
          {(close) => (
            <ExecuteDialog what={titleOf(props.resource)} onExecute={(given) => send('POST', given)} onClose={close} />
          )}
        </Opens>
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
            label={fieldLabel(props.resource)}
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
            {done[command.data.method]} {command.data.answer !== '' && <Code>{command.data.answer}</Code>}
          </Text>
        )}
      </div>
      {command.error && <Failure error={command.error} />}
    </Stack>
  );
};

/** The actions on a resource, and the history of its value. */
export const ResourcePanel = ({ deviceId, resource }: ResourcePanelProps) => (
  <Panel title={titleOf(resource)}>
    <Stack gap="md">
      {isNumeric(resource) && <HistoryChart deviceId={deviceId} resource={resource} />}
      <Actions deviceId={deviceId} resource={resource} />
    </Stack>
  </Panel>
);
