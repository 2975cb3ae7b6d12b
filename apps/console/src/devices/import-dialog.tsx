import type { DeviceImport } from '@lanyard/client/browser';
import { Anchor, Code, FileInput, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { lanyard } from '../api/lanyard.ts';
import { usePages } from '../api/pages.ts';
import { useRead, useUpload } from '../api/queries.ts';
import {
  Answered,
  type Column,
  count,
  counted,
  DataTable,
  Failure,
  FormDialog,
  LeaveQuestion,
  Listing,
  moment,
} from '../ui/index.ts';
import { csvRows } from './csv.ts';

const everyMs = 1_000;
const shownErrors = 100;
const shownImports = 5;
const nameLengthMax = 128;

const list = 'GET /v3/device-imports';

const isCompleted = ({ status }: Pick<DeviceImport, 'status'>): boolean => status === 'completed';

interface ReportRow {
  key: string;
  cells: readonly string[];
}

const Errors = ({ id, n }: { id: string; n: number }) => {
  const { data, error } = useQuery({
    queryKey: ['GET /v3/device-imports/{id}/errors', id],
    queryFn: async () => csvRows(String(await lanyard.call('GET /v3/device-imports/{id}/errors', { path: { id } }))),
  });
  const [head = [], ...rows] = data ?? [];
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {n === 1 ? '1 row has an error' : `${count(n)} rows have errors`}
      </Text>
      {error && <Failure error={error} />}
      <ScrollArea.Autosize
        mah={260}
        viewportProps={{ role: 'group', tabIndex: 0, 'aria-label': 'Errors of the import' }}
      >
        <DataTable<ReportRow>
          columns={head.map((title, at) => ({ title, cell: ({ cells }) => cells[at] }))}
          rows={rows.slice(0, shownErrors).map((cells, at) => ({ key: String(at), cells }))}
          keyOf={({ key }) => key}
        />
      </ScrollArea.Autosize>
      <Anchor href={`/v3/device-imports/${id}/errors`} download size="sm">
        Download the error report
      </Anchor>
    </Stack>
  );
};

const ImportProgress = ({ id }: { id: string }) => {
  const client = useQueryClient();
  const answer = useRead('GET /v3/device-imports/{id}', { path: { id } }, { everyMs, isFinal: isCompleted });
  const isOver = answer.data !== undefined && isCompleted(answer.data);
  useEffect(() => {
    if (isOver) for (const read of ['GET /v3/devices', list]) void client.invalidateQueries({ queryKey: [read] });
  }, [isOver, client]);
  return (
    <Answered answer={answer} height={60}>
      {({ processed_count: processed, total_count: total, errors_count: errors, waits_for: waitsFor }) => (
        <Stack gap="md" role="status">
          <Progress
            value={total === 0 ? 0 : (processed / total) * 100}
            animated={!isOver}
            aria-label="Rows that are done"
          />
          <Text size="sm">
            {count(processed)} of {counted(total, 'row')} done, {counted(processed - errors, 'device')} created.
            {waitsFor !== null && ' The account is suspended: the import continues when it is resumed.'}
          </Text>
          {isOver && errors > 0 && <Errors id={id} n={errors} />}
        </Stack>
      )}
    </Answered>
  );
};

const columnsOf = (onOpen: (id: string) => void): readonly Column<DeviceImport>[] => [
  {
    title: 'Import',
    cell: ({ id, name }) => (
      <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onOpen(id)}>
        {name || id}
      </Anchor>
    ),
    more: ({ created_at: at }) => moment(at),
  },
  { title: 'Rows', cell: ({ processed_count: done, total_count: total }) => `${count(done)} of ${count(total)}` },
  { title: 'Errors', cell: ({ errors_count: n }) => count(n) },
];

/** Imports continue when their dialog is closed; each row leads to the progress and the errors of an import. */
const EarlierImports = ({ onOpen }: { onOpen: (id: string) => void }) => (
  <Listing
    title="Earlier imports"
    answer={usePages(list, { query: { order: 'DESC', limit: shownImports } })}
    columns={columnsOf(onOpen)}
    empty={
      <Text size="sm" c="dimmed" p="md">
        None in the last 30 days.
      </Text>
    }
  />
);

/** Creates devices from a CSV file. */
export const ImportDialog = ({ onClose }: { onClose: () => void }) => {
  const [file, setFile] = useState<File | null>(null);
  const [opened, setOpened] = useState<string>();
  const { upload, begin, stop } = useUpload('POST /v3/device-imports', [list]);
  const id = upload.data?.id ?? opened;
  const submit = (): void => {
    if (file) begin(file, { name: file.name.slice(0, nameLengthMax) });
  };
  return (
    <FormDialog
      title="Import devices"
      size="lg"
      verb="Start the import"
      needs="devices.write for all devices"
      change={upload}
      onSubmit={submit}
      onStop={stop}
      onClose={onClose}
      unavailable={file ? undefined : 'Choose a file first.'}
      isDone={id !== undefined}
    >
      {id !== undefined ? (
        <ImportProgress id={id} />
      ) : (
        <>
          <Text size="sm">
            A CSV file whose first line names fields of a device, for example{' '}
            <Code>endpoint_name,endpoint_type,serial_number</Code>. Each further line creates one device.
          </Text>
          <FileInput
            label="CSV file"
            placeholder="Choose a file"
            accept=".csv,text/csv"
            value={file}
            onChange={setFile}
          />
          <EarlierImports onOpen={setOpened} />
        </>
      )}
      <LeaveQuestion isRunning={upload.isPending}>
        The file is being uploaded. If you leave, the upload stops, and no devices are created.
      </LeaveQuestion>
    </FormDialog>
  );
};
