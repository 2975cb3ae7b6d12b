import { Anchor, Code, FileInput, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { lanyard } from '../api/lanyard.ts';
import { uploadMaxMs, useChange, useRead } from '../api/queries.ts';
import { count, counted, DataTable, Failure, FormDialog } from '../ui/index.ts';
import { csvRows } from './csv.ts';

const everyMs = 1_000;
const shownErrors = 100;

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
  const { data, error } = useRead('GET /v3/device-imports/{id}', { path: { id } }, { everyMs });
  const isOver = data?.status === 'completed';
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: ['GET /v3/devices'] });
  }, [isOver, client]);
  if (error) return <Failure error={error} />;
  if (!data) return <Progress value={0} aria-label="The import begins" />;
  const { processed_count: processed, total_count: total, errors_count: errors } = data;
  return (
    <Stack gap="md" role="status">
      <Progress
        value={total === 0 ? 0 : (processed / total) * 100}
        animated={!isOver}
        aria-label="Rows that are done"
      />
      <Text size="sm">
        {count(processed)} of {counted(total, 'row')} done, {counted(processed - errors, 'device')} created.
        {data.waits_for !== null && ' The account is suspended: the import continues when it is resumed.'}
      </Text>
      {isOver && errors > 0 && <Errors id={id} n={errors} />}
    </Stack>
  );
};

/** Creates devices from a CSV file. */
export const ImportDialog = ({ onClose }: { onClose: () => void }) => {
  const [file, setFile] = useState<File | null>(null);
  const start = useChange('POST /v3/device-imports', [], { timeoutMs: uploadMaxMs });
  const begin = async (): Promise<void> => {
    if (!file) return;
    // The bytes of the file: as text, what is not UTF-8 would be replaced, and the service could not refuse it.
    start.mutate({ query: { name: file.name }, body: new Uint8Array(await file.arrayBuffer()) });
  };
  return (
    <FormDialog
      title="Import devices"
      size="lg"
      verb="Start the import"
      needs="devices.write for all devices"
      change={start}
      onSubmit={() => void begin()}
      onClose={onClose}
      unavailable={file ? undefined : 'Choose a file first.'}
      isDone={start.data !== undefined}
    >
      {start.data ? (
        <ImportProgress id={start.data.id} />
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
        </>
      )}
    </FormDialog>
  );
};
