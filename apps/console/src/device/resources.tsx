import type { DeviceEcho } from '@lanyard/client/browser';
import { Anchor, Grid, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { age, Answered, type Column, DataTable, Empty, moment, Panel, Titled } from '../ui/index.ts';
import { ResourcePanel } from './resource-panel.tsx';
import { type Instance, instancesOf, type Resource, textOf } from './values.ts';

const desiredStates = ['pending', 'written', 'failed'];

const desiredOf = (resource: Resource): string | undefined => {
  const { desired } = resource;
  if (!desired) return undefined;
  const state = desiredStates[desired.status] ?? desired.status;
  return `desired ${textOf(desired, resource)}, ${state} since ${moment(desired.status_updated_at)}`;
};

interface Choosing {
  chosen: string | undefined;
  onChoose: (path: string) => void;
  /** When the values were read, by the clock of the service. */
  readAtMs: number;
}

const columnsOf = ({ chosen, onChoose, readAtMs }: Choosing): readonly Column<Resource>[] => [
  {
    title: 'Resource',
    cell: ({ resource_path: path, name }) => (
      <Anchor component="button" ta="start" onClick={() => onChoose(path)} aria-pressed={chosen === path}>
        <Titled more={path}>{name ?? path}</Titled>
      </Anchor>
    ),
  },
  {
    title: 'Value',
    cell: (resource) => textOf(resource.reported, resource) ?? '–',
    more: desiredOf,
  },
  {
    title: 'Reported',
    cell: ({ reported }) => (reported ? age(reported.reported_at, readAtMs) : 'never'),
    more: ({ reported, subscribed }) =>
      [reported && moment(reported.reported_at), subscribed && 'observed'].filter(Boolean).join(', '),
  },
];

const InstanceTable = ({ instance: { path, name, resources }, ...choosing }: Choosing & { instance: Instance }) => (
  <Panel title={name === undefined ? path : `${name} ${path}`} flush>
    <DataTable
      columns={columnsOf(choosing)}
      rows={resources}
      keyOf={({ resource_path: of }) => of}
      isChosen={({ resource_path: of }) => of === choosing.chosen}
    />
  </Panel>
);

const Tree = ({ echo }: { echo: DeviceEcho }) => {
  const { path } = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = (next: string) => void navigate({ to: '.', search: () => ({ tab: 'resources', path: next }) });
  // A resource that the device has not listed can be read and written too.
  const unlisted = path === undefined ? undefined : { resource_path: path, subscribed: false };
  const chosen = echo.resources.find(({ resource_path: of }) => of === path) ?? unlisted;
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }} order={{ base: 2, lg: 1 }}>
        <Stack gap="lg">
          {instancesOf(echo.resources).map((instance) => (
            <InstanceTable
              key={instance.path}
              instance={instance}
              chosen={path}
              onChoose={choose}
              readAtMs={Date.parse(echo.created_at)}
            />
          ))}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }} order={{ base: 1, lg: 2 }}>
        {chosen ? (
          <ResourcePanel key={chosen.resource_path} deviceId={echo.device_id} resource={chosen} />
        ) : (
          <Panel>
            <Text size="sm" c="dimmed">
              Choose a resource to see its history, and to read, write, execute or observe it. A device reports a value
              when it is read, and each change of it while it is observed.
            </Text>
          </Panel>
        )}
      </Grid.Col>
    </Grid>
  );
};

/** The resources that the device has, by object instance, with their last and desired values. */
export const Resources = ({ deviceId }: { deviceId: string }) => (
  <Answered
    answer={useRead('GET /v3/devices/{deviceId}/echo', { path: { deviceId } }, { everyMs: 2_000 })}
    height={240}
  >
    {(echo) =>
      echo.resources.length > 0 ? (
        <Tree echo={echo} />
      ) : (
        <Panel>
          <Empty icon="device" title="No resources yet">
            They appear when the device registers.
          </Empty>
        </Panel>
      )
    }
  </Answered>
);
