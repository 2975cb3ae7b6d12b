import { Button, Group, Menu, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useCallback, useState } from 'react';
import { useRefusal } from '../api/permissions.ts';
import { count, counted, Empty, Failure, Icon, Opens, Page, Panel } from '../ui/index.ts';
import { type BulkAction, BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { usualColumns } from './columns.ts';
import { DeviceTable } from './device-table.tsx';
import { FilterBar } from './filter-bar.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { SavedQueries } from './saved-queries.tsx';
import { type DeviceSearch, useDeviceSearch } from './search.ts';
import { idsMax, type Selection, selectionOf } from './selection.ts';
import { useDeviceRows } from './use-device-rows.ts';

const NothingFound = ({ search }: { search: DeviceSearch }) =>
  search.packed === undefined ? (
    <Empty icon="devices" title="No devices yet" command="npm run device -- --secure">
      Import a CSV file, or start a simulated thermometer in another terminal.
    </Empty>
  ) : (
    <Empty icon="search" title="No device matches">
      <Button variant="default" size="compact-sm" onClick={() => search.replace({})}>
        Remove the filters
      </Button>
    </Empty>
  );

interface ActionsProps {
  /** How many devices are ticked; 0 if the action concerns all that the filters find. */
  ticked: number;
  total: number;
  selection: Selection;
  onAction: (action: BulkAction) => void;
}

const Actions = ({ ticked, total, selection, onAction }: ActionsProps) => {
  const noSuspend = useRefusal('devices.suspend');
  const noWrite = useRefusal('devices.write');
  const noExport = selection.length > 1 ? `Select at most ${count(idsMax)} devices, or none for all.` : undefined;
  const filter = selection[0] === undefined ? '' : `?filter=${encodeURIComponent(selection[0])}`;
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button variant="default" rightSection={<Icon name="more" size={16} />} disabled={total === 0}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {ticked > 0 ? `For ${counted(ticked, 'selected device')}` : `For ${counted(total, 'matching device')}`}
        </Menu.Label>
        <Menu.Item disabled={noSuspend !== undefined} title={noSuspend} onClick={() => onAction('suspend')}>
          Suspend
        </Menu.Item>
        <Menu.Item disabled={noSuspend !== undefined} title={noSuspend} onClick={() => onAction('resume')}>
          Resume
        </Menu.Item>
        <Menu.Item disabled={noWrite !== undefined} title={noWrite} onClick={() => onAction('add')}>
          Add to a group
        </Menu.Item>
        <Menu.Item disabled={noWrite !== undefined} title={noWrite} onClick={() => onAction('remove')}>
          Remove from a group
        </Menu.Item>
        <Menu.Item
          component="a"
          {...(noExport === undefined && { href: `/v3/devices/export${filter}`, download: true })}
          disabled={noExport !== undefined}
          title={noExport}
          leftSection={<Icon name="download" size={16} />}
        >
          Export {count(ticked > 0 ? ticked : total)} as CSV
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};

const none: ReadonlySet<string> = new Set();

const DeviceList = () => {
  const search = useDeviceSearch();
  const { packed } = search;
  const { rows, total, isOfOtherSearch, error, refetch, readOn } = useDeviceRows(search);
  const [shown, setShown] = useLocalStorage({ key: 'lanyard-device-columns', defaultValue: [...usualColumns] });
  const [ticks, setTicks] = useState<{ filter: string | undefined; ids: ReadonlySet<string> }>({
    filter: undefined,
    ids: none,
  });
  // Ticks hold only for the devices that are shown: another search begins without any, and until it is answered, the
  // devices of the one before it cannot be ticked.
  const ticked = ticks.filter === packed ? ticks.ids : none;
  // With the selection as it was then: on the way back, the page may show another search below the dialog.
  const [opened, setOpened] = useState<Omit<BulkDialogProps, 'onClose'>>();
  const onSelect = useCallback(
    (ids: readonly string[], isSelected: boolean) =>
      setTicks((before) => {
        const next = new Set(before.filter === packed ? before.ids : none);
        for (const id of ids)
          if (isSelected) next.add(id);
          else next.delete(id);
        return { filter: packed, ids: next };
      }),
    [packed],
  );
  const selection = selectionOf([...ticked], packed);
  return (
    <Panel flush>
      <FilterBar search={search} />
      <Group justify="space-between" px="md" pb="md" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {total === undefined ? ' ' : counted(total, 'device')}
          {ticked.size > 0 && `, ${count(ticked.size)} selected`}
          {rows.length < (total ?? 0) && `, ${count(rows.length)} loaded`}
        </Text>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Order"
            data={[
              { value: 'oldest', label: 'Oldest first' },
              { value: 'newest', label: 'Newest first' },
            ]}
            value={search.newestFirst ? 'newest' : 'oldest'}
            onChange={(value) => search.turn(value === 'newest')}
          />
          <ColumnMenu shown={shown} onChange={setShown} />
          <SavedQueries search={search} />
          <Actions
            ticked={ticked.size}
            // The menu would name the number of devices of the other search.
            total={isOfOtherSearch ? 0 : (total ?? 0)}
            selection={selection}
            onAction={(action) => setOpened({ action, selection, groupId: search.filters['groups'] })}
          />
        </Group>
      </Group>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {total === undefined && !error && <Skeleton height={320} />}
      {total === 0 && <NothingFound search={search} />}
      {rows.length > 0 && (
        <DeviceTable
          rows={rows}
          total={total ?? rows.length}
          shown={shown}
          selected={ticked}
          isLocked={isOfOtherSearch}
          onSelect={onSelect}
          onNearEnd={readOn}
        />
      )}
      {opened && <BulkDialog {...opened} onClose={() => setOpened(undefined)} />}
    </Panel>
  );
};

const DevicesPage = () => (
  <Page
    title="Devices"
    needs="devices.read"
    actions={<Opens label="Import" needs="devices.write for all devices" isMain Dialog={ImportDialog} />}
  >
    <DeviceList />
  </Page>
);

export default DevicesPage;
