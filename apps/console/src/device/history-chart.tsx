import type { ResourceHistory } from '@lanyard/client/browser';
import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useRead } from '../api/queries.ts';
import { Answered, counted, duration, precise, type Series, TimeChart } from '../ui/index.ts';
import { type Resource, symbolOf } from './values.ts';

const ranges = [
  { value: '1', label: '1 h' },
  { value: '6', label: '6 h' },
  { value: '24', label: '24 h' },
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

/** Over the range that is shown. Of steps, the mean counts each step as often as it has values. */
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
  if (!history.kept) return <Text size="sm">The account keeps no history of values.</Text>;
  if (history.count === 0)
    return <Text size="sm">No value was reported in this period. Read or observe the resource.</Text>;
  const { times, series } = linesOf(history);
  return (
    <>
      <Summary history={history} unit={unit} />
      <TimeChart label={`${name} over time`} times={times} series={series} height={200} range="values" />
      <Text size="xs" c="dimmed">
        {counted(history.count, 'value')}
        {history.step_seconds !== null &&
          `: mean, minimum and maximum of each step of ${duration(history.step_seconds)}`}
      </Text>
    </>
  );
};

/** Milliseconds since 1970, moved on at intervals. */
const useNow = (everyMs: number): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
};

interface HistoryChartProps {
  deviceId: string;
  resource: Resource;
}

/** The values of a numeric resource over the last hours. */
export const HistoryChart = ({ deviceId, resource: { resource_path: path, name, unit } }: HistoryChartProps) => {
  const [hours, setHours] = useState('1');
  const from = new Date(useNow(refreshMs) - Number(hours) * hourMs).toISOString();
  const answer = useRead(
    'GET /v3/devices/{deviceId}/history',
    { path: { deviceId }, query: { path, from, points: pointsMax } },
    { keeps: true },
  );
  return (
    <Stack gap="xs">
      <SegmentedControl size="xs" data={ranges} value={hours} onChange={setHours} aria-label="Range" />
      <Answered answer={answer} height={200}>
        {(history) => <Chart history={history} name={name ?? path} unit={symbolOf(unit)} />}
      </Answered>
    </Stack>
  );
};
