import type { DeviceEcho } from '@lanyard/client/browser';
import { Badge, Grid, Group, Skeleton, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { moment } from '../ui/format.ts';
import { Panel } from '../ui/page.tsx';
import { ResourcePanel } from './resource-panel.tsx';
import { type Instance, instancesOf, type Resource, textOf } from './values.ts';

const desiredStates = ['pending', 'written', 'failed'];

interface RowProps {
  resource: Resource;
  isChosen: boolean;
  onChoose: () => void;
}

const Desired = ({ resource: { desired, unit } }: { resource: Resource }) =>
  desired ? (
    <Text size="xs" c="dimmed" className="wrap">
      desired {textOf(desired, unit)} ({desiredStates[desired.status] ?? desired.status})
    </Text>
  ) : null;

const Row = ({ resource, isChosen, onChoose }: RowProps) => (
  <Table.Tr bg={isChosen ? 'var(--mantine-primary-color-light)' : undefined}>
    <Table.Td>
      <UnstyledButton onClick={onChoose} aria-pressed={isChosen}>
        <Text size="sm" fw={500} className="wrap">
          {resource.name ?? resource.resource_path}
        </Text>
        <Text size="xs" c="dimmed">
          {resource.resource_path}
        </Text>
      </UnstyledButton>
    </Table.Td>
    <Table.Td>
      <Text size="sm" className="wrap">
        {textOf(resource.reported, resource.unit) ?? '–'}
      </Text>
      <Desired resource={resource} />
    </Table.Td>
    <Table.Td visibleFrom="sm">
      <Text size="xs" c="dimmed">
        {resource.reported ? moment(resource.reported.reported_at) : 'never reported'}
      </Text>
    </Table.Td>
  </Table.Tr>
);

interface InstanceTableProps {
  instance: Instance;
  chosen: string | undefined;
  onChoose: (path: string) => void;
}

const InstanceTable = ({ instance: { path, name, resources }, chosen, onChoose }: InstanceTableProps) => (
  <Panel
    title={name === undefined ? path : `${name} ${path}`}
    flush
    aside={resources.some(({ subscribed }) => subscribed) && <Badge variant="light">subscribed</Badge>}
  >
    <Table highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Resource</Table.Th>
          <Table.Th>Value</Table.Th>
          <Table.Th visibleFrom="sm">Reported</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {resources.map((resource) => (
          <Row
            key={resource.resource_path}
            resource={resource}
            isChosen={chosen === resource.resource_path}
            onChoose={() => onChoose(resource.resource_path)}
          />
        ))}
      </Table.Tbody>
    </Table>
  </Panel>
);

const Tree = ({ echo }: { echo: DeviceEcho }) => {
  const { path } = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = (next: string) => void navigate({ to: '.', search: () => ({ tab: 'resources', path: next }) });
  // One that the device has not listed can be read and written, too.
  const unlisted = path === undefined ? undefined : { resource_path: path, subscribed: false };
  const chosen = echo.resources.find(({ resource_path: of }) => of === path) ?? unlisted;
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }} order={{ base: 2, lg: 1 }}>
        <Stack gap="lg">
          {instancesOf(echo.resources).map((instance) => (
            <InstanceTable key={instance.path} instance={instance} chosen={path} onChoose={choose} />
          ))}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }} order={{ base: 1, lg: 2 }}>
        {chosen ? (
          <ResourcePanel key={chosen.resource_path} deviceId={echo.device_id} resource={chosen} />
        ) : (
          <Panel>
            <Group>
              <Text size="sm" c="dimmed">
                Choose a resource to see its history, and to read, write or execute it.
              </Text>
            </Group>
          </Panel>
        )}
      </Grid.Col>
    </Grid>
  );
};

/** The resources that the device has, by object instance, with their last and desired values. */
export const Resources = ({ deviceId }: { deviceId: string }) => {
  const { data, error, refetch } = useRead(
    'GET /v3/devices/{deviceId}/echo',
    { path: { deviceId } },
    { everyMs: 2_000 },
  );
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  if (data.resources.length === 0)
    return (
      <Panel>
        <Empty icon="device" title="No resources yet">
          They appear when the device registers.
        </Empty>
      </Panel>
    );
  return <Tree echo={data} />;
};
