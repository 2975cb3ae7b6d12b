import type { ResourceHistory } from '@lanyard/client/browser';
import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { lanyard } from '../api/lanyard.ts';
import { Answered, counted, duration, precise, type Series, TimeChart } from '../ui/index.ts';
import { type Resource, symbolOf } from './values.ts';

const operation = 'GET /v3/devices/{deviceId}/history';

/** Ranges in hours; a longer one is offered if the account keeps values for longer than the range before it. */
const ranges = [
  { value: '1', label: '1 h', ifLonger: -1 },
  { value: '6', label: '6 h', ifLonger: -1 },
  { value: '24', label: '24 h', ifLonger: -1 },
  { value: '168', label: '7 d', ifLonger: 24 },
  { value: '744', label: '31 d', ifLonger: 168 },
];

const pointsMax = 300;
const hourMs = 3_600_000;
const refreshMs = 5_000;

const secondsOf = (text: string) => Date.parse(text) / 1_000;

const numberOr = (value: unknown) => (typeof value === 'number' ? value : null);

const linesOf = ({ steps, values }: ResourceHistory): { times: number[]; series: Series[] } =>
  steps.length > 0
    ? {
        times: steps.map(({ from }) => secondsOf(from)),
        series: [
          { label: 'mean', color: '#0c8599', values: steps.map(({ mean }) => mean ?? null) },
          { label: 'minimum', color: '#868e96', values: steps.map(({ min }) => min ?? null) },
          { label: 'maximum', color: '#e8590c', values: steps.map(({ max }) => max ?? null) },
        ],
      }
    : {
        times: values.map(({ reported_at: at }) => secondsOf(at)),
        series: [{ label: 'value', color: '#0c8599', values: values.map(({ decoded }) => numberOr(decoded)) }],
      };

/** Summary of the range that is shown. The mean of steps weights each step by the number of its values. */
const summaryOf = ({
  steps,
  values,
}: ResourceHistory): Record<'Last' | 'Minimum' | 'Mean' | 'Maximum', number> | null => {
  const each =
    steps.length > 0
      ? steps.flatMap(({ min, max, mean, last, count }) =>
          min === undefined || max === undefined || mean === undefined ? [] : [{ min, max, mean, last, count }],
        )
      : values.flatMap(({ decoded: n }) =>
          typeof n === 'number' ? [{ min: n, max: n, mean: n, last: n, count: 1 }] : [],
        );
  const newest = each.at(-1);
  if (!newest) return null;
  const total = each.reduce((sum, { count }) => sum + count, 0);
  return {
    Last: Number(newest.last ?? newest.mean),
    Minimum: Math.min(...each.map(({ min }) => min)),
    Mean: Number((each.reduce((sum, { mean, count }) => sum + mean * count, 0) / total).toPrecision(5)),
    Maximum: Math.max(...each.map(({ max }) => max)),
  };
};

const Summary = ({ history, unit }: { history: ResourceHistory; unit: string }) => (
  <Group gap="lg" component="dl" m={0}>
    {Object.entries(summaryOf(history) ?? {}).map(([label, n]) => (
      <div key={label}>
        <Text component="dt" size="xs" c="dimmed">
          {label}
        </Text>
        <Text component="dd" m={0} fw={600}>
          {precise(n)} {unit}
        </Text>
      </div>
    ))}
  </Group>
);

const Chart = ({ history, name, unit }: { history: ResourceHistory; name: string; unit: string }) => {
  const { kept, has_earlier: hasEarlier, step_seconds: stepSeconds } = history;
  if (!kept)
    return (
      <Text size="sm">
        The account keeps no history of values. An administrator can change that on the page Account.
      </Text>
    );
  if (history.count === 0)
    return <Text size="sm">No value was reported in this period. Read or observe the resource.</Text>;
  const { times, series } = linesOf(history);
  return (
    <>
      <Summary history={history} unit={unit} />
      <TimeChart label={`${name} over time`} times={times} series={series} height={200} range="values" />
      <Text size="xs" c="dimmed">
        {counted(history.count, 'value')}
        {stepSeconds !== null && `: mean, minimum and maximum of each step of ${duration(stepSeconds)}`}
        {hasEarlier && `. Earlier ones are gone: the account keeps ${counted(kept.values, 'value')} of each resource`}
      </Text>
    </>
  );
};

/** Reads the values of the last hours. */
const useHistory = (deviceId: string, path: string, hours: number) =>
  useQuery({
    queryKey: [operation, deviceId, path, hours],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - hours * hourMs).toISOString();
      return lanyard.call(operation, { path: { deviceId }, query: { path, from, points: pointsMax } }, { signal });
    },
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });

interface HistoryChartProps {
  deviceId: string;
  resource: Resource;
}

/** The values of a numeric resource over the last hours. */
export const HistoryChart = ({ deviceId, resource: { resource_path: path, name, unit } }: HistoryChartProps) => {
  const [hours, setHours] = useState('1');
  const answer = useHistory(deviceId, path, Number(hours));
  const keptHours = answer.data?.kept?.hours ?? 0;
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        data={ranges.filter(({ ifLonger }) => keptHours > ifLonger)}
        value={hours}
        onChange={setHours}
        aria-label="Range"
      />
      <Answered answer={answer} height={200}>
        {(history) => <Chart history={history} name={name ?? path} unit={symbolOf(unit)} />}
      </Answered>
    </Stack>
  );
};
