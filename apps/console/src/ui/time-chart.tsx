import 'uplot/dist/uPlot.min.css';
import { Box, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { precise, short } from './format.ts';
import { type Range, rangeOf, tickSteps } from './range.ts';

export interface Series {
  label: string;
  color: string;
  values: readonly (number | null)[];
}

interface TimeChartProps {
  /** Describes the chart to people who cannot see it. */
  label: string;
  /** Seconds since 1970, ascending. */
  times: readonly number[];
  series: readonly Series[];
  height?: number;
  range?: Range;
}

const axisWidths = { rate: 40, values: 56 } as const;
const timeAxisHeight = 26;

const minuteS = 60;
const dayS = 86_400;

/** Text of a tick. `stepS`: seconds between two ticks. */
const timeOf = (atS: number, stepS: number): string => {
  const date = new Date(atS * 1_000);
  if (stepS >= dayS) return date.toLocaleDateString();
  const seconds = stepS < minuteS ? ({ second: '2-digit' } as const) : {};
  return date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...seconds });
};

interface Looks {
  isDark: boolean;
  height: number;
  range: Range;
}

const optionsOf = (series: readonly Series[], { isDark, height, range }: Looks, width: number): UPlot.Options => {
  const stroke = isDark ? '#a7b0ba' : '#57606a';
  const grid = { stroke: isDark ? '#262d34' : '#e6eaed', width: 1 };
  const axis = { stroke, grid, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  return {
    width,
    height,
    // The right padding has room for half of a time with seconds.
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_plot, min, max) => rangeOf(range, min, max) } },
    axes: [
      {
        ...axis,
        space: 80,
        incrs: tickSteps,
        size: timeAxisHeight,
        values: (_plot, ticks, _axis, _space, stepS) => ticks.map((at) => timeOf(at, stepS)),
      },
      {
        ...axis,
        size: axisWidths[range],
        space: 32,
        values: (_plot, ticks) => ticks.map(range === 'rate' ? short : precise),
      },
    ],
    series: [
      {},
      ...series.map(({ label, color, values }) => ({
        label,
        stroke: color,
        width: 2,
        ...(range === 'rate' && { fill: `${color}22` }),
        // A single value has no line, so it is drawn as a point.
        points: { show: range === 'values' && values.length < 2 },
      })),
    ],
  };
};

/** Lines over time. The components that use this chart show the newest values as text beside it. */
export const TimeChart = ({ label, times, series, height = 132, range = 'rate' }: TimeChartProps) => {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | undefined>(undefined);
  const isDark = useComputedColorScheme('light') === 'dark';
  const looks = JSON.stringify([
    isDark,
    height,
    range,
    series.map((one) => [one.label, one.color, one.values.length < 2]),
  ]);
  const data = [times, ...series.map(({ values }) => values)] as unknown as UPlot.AlignedData;
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const made = new UPlot(optionsOf(series, { isDark, height, range }, element.clientWidth), data, element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- made again when it looks different; new data is set below
  }, [looks]);
  useEffect(() => {
    plot.current?.setData(data);
  });
  return <Box ref={box} h={height} role="img" aria-label={label} style={{ overflow: 'hidden' }} />;
};
