import { SimpleGrid, Skeleton } from '@mantine/core';
import type { AnswerOf } from '@lanyard/client/browser';
import { useRead } from '../api/queries.ts';
import { RatePanel } from './rate-panel.tsx';

type Statistics = AnswerOf<'GET /v3/statistics'>;
type Step = Statistics['steps'][number];
type Counter = Exclude<keyof Step, 'from'>;

const colors = { good: '#12908f', second: '#4c7fd9', bad: '#d9480f', late: '#8a6d00' } as const;

const panels: { title: string; series: [label: string, counter: Counter, color: keyof typeof colors][] }[] = [
  { title: 'Values', series: [['values', 'values', 'good']] },
  {
    title: 'Registrations',
    series: [
      ['new', 'registrations', 'good'],
      ['updates', 'registration_updates', 'second'],
      ['ended', 'deregistrations', 'late'],
      ['expired', 'registrations_expired', 'bad'],
    ],
  },
  {
    title: 'Commands',
    series: [
      ['succeeded', 'commands_succeeded', 'good'],
      ['failed', 'commands_failed', 'bad'],
      ['expired', 'commands_expired', 'late'],
    ],
  },
  { title: 'Dropped events', series: [['dropped', 'events_dropped', 'bad']] },
];

/** Events per second, in steps of ten seconds; the newest step is incomplete and left out. */
export const Rates = ({ statistics }: { statistics: Statistics }) => {
  const { step_seconds: seconds } = statistics;
  const steps = statistics.steps.slice(0, -1);
  const times = steps.map(({ from }) => Date.parse(from) / 1_000);
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 4 }} spacing="md">
      {panels.map(({ title, series }) => (
        <RatePanel
          key={title}
          title={title}
          unit="per second"
          times={times}
          series={series.map(([label, counter, color]) => ({
            label,
            color: colors[color],
            values: steps.map((step) => step[counter] / seconds),
          }))}
        />
      ))}
    </SimpleGrid>
  );
};

/** The statistics, read again for every step. */
export const useStatistics = () => useRead('GET /v3/statistics', { query: {} }, { everyMs: 10_000 });

export const RatesWaiting = () => (
  <SimpleGrid cols={{ base: 1, md: 2, xl: 4 }} spacing="md">
    {panels.map(({ title }) => (
      <Skeleton key={title} height={220} />
    ))}
  </SimpleGrid>
);
