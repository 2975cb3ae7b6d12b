import { Group, Stack, Text } from '@mantine/core';
import { Panel, type Series, short, TimeChart } from '../ui/index.ts';

interface RatePanelProps {
  title: string;
  unit: string;
  times: readonly number[];
  series: readonly Series[];
}

/** Number of complete steps that the figure averages. */
const lastSteps = 6;

const meanOf = (values: readonly (number | null)[]): number => {
  const last = values.slice(-lastSteps).filter((value) => value !== null);
  return last.length === 0 ? 0 : last.reduce((sum, value) => sum + value, 0) / last.length;
};

/** One rate over the last hour: its current value as a figure, its course as a chart. */
export const RatePanel = ({ title, unit, times, series }: RatePanelProps) => (
  <Panel
    title={title}
    aside={
      <Text size="xs" c="dimmed">
        {unit}
      </Text>
    }
  >
    <Stack gap="xs">
      <Group gap="lg">
        {series.map(({ label, color, values }) => (
          <Group key={label} gap={6} align="baseline">
            <Text fz="xl" fw={650} lh={1.1}>
              {short(meanOf(values))}
            </Text>
            {series.length > 1 && (
              <Text size="xs" c="dimmed">
                <span style={{ color }} aria-hidden>
                  ●
                </span>{' '}
                {label}
              </Text>
            )}
          </Group>
        ))}
      </Group>
      <TimeChart label={`${title}, ${unit}, over the last hour`} times={times} series={series} />
    </Stack>
  </Panel>
);
