/** The report of a soak: one HTML page with a chart for each kind of figure. */
import { round } from '../statistics.ts';
import { slopePerHour, type Sample } from './samples.ts';

const [width, height] = [900, 260];
const margin = { left: 60, right: 160, top: 24, bottom: 24 };
const colours = [
  '#1f77b4',
  '#ff7f0e',
  '#2ca02c',
  '#d62728',
  '#9467bd',
  '#8c564b',
  '#e377c2',
  '#17becf',
  '#7f7f7f',
  '#bcbd22',
];

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Lines of figures over time. */
export const chart = (title: string, unit: string, names: readonly string[], samples: readonly Sample[]) => {
  const values = names.flatMap((name) => samples.map((sample) => sample[name] ?? NaN)).filter(Number.isFinite);
  const most = Math.max(1, ...values);
  const last = Math.max(1, samples.at(-1)?.minutes ?? 0);
  const x = (minutes: number) => margin.left + (minutes / last) * (width - margin.left - margin.right);
  const y = (value: number) => height - margin.bottom - (value / most) * (height - margin.top - margin.bottom);
  const line = (name: string, n: number) => {
    const colour = colours[n % colours.length];
    const points = samples
      .filter((sample) => Number.isFinite(sample[name]))
      .map((sample) => `${x(sample.minutes).toFixed(1)},${y(sample[name] ?? 0).toFixed(1)}`);
    const label = `<text x="${width - margin.right + 8}" y="${margin.top + 14 * n}" fill="${colour}">${escaped(name)}</text>`;
    return `<polyline fill="none" stroke="${colour}" points="${points.join(' ')}"/>${label}`;
  };
  return `<svg viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" role="img" aria-label="${escaped(title)}">
<text x="${margin.left}" y="14" font-weight="bold">${escaped(title)} (${escaped(unit)})</text>
<path d="M${margin.left},${margin.top}V${height - margin.bottom}H${width - margin.right}" stroke="#999" fill="none"/>
<text x="4" y="${margin.top + 4}">${round(most)}</text><text x="4" y="${height - margin.bottom}">0</text>
<text x="${width - margin.right - 40}" y="${height - 8}">${round(last)} min</text>
${names.map(line).join('\n')}
</svg>`;
};

const table = (rows: readonly (readonly [string, string | number])[]) =>
  `<table>${rows.map(([name, value]) => `<tr><th align="left">${escaped(name)}</th><td align="right">${value}</td></tr>`).join('')}</table>`;

export const report = (
  samples: readonly Sample[],
  figures: Readonly<Record<string, number>>,
  violations: readonly string[],
) => {
  const named = (prefix: string) => Object.keys(samples[0] ?? {}).filter((name) => name.startsWith(prefix));
  const pictures = [
    chart('Memory', 'MB', named('memory '), samples),
    chart('Latency of values, device-proxy to callback', 'ms', named('value '), samples),
    chart('Latency of commands, call to result', 'ms', named('command '), samples),
    chart('Processors', '% of a core', named('CPU '), samples),
    chart('Rate', 'per second', named('rate '), samples),
  ];
  const slopes = named('memory ').map((name) => [`${name}, MB/h`, round(slopePerHour(samples, name))] as const);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Soak</title>
<h1>Soak</h1>
<p>${violations.length === 0 ? 'Nothing was lost.' : violations.map(escaped).join('<br>')}</p>
${table(Object.entries(figures))}
<h2>Growth after the first quarter</h2>
${table(slopes)}
${pictures.join('\n')}
</html>
`;
};
