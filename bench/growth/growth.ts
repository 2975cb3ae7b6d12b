/** The cost of one thing as the number of another grows: a line of figures for each size. */
import { lineOf, round } from '../statistics.ts';

/** If an event costs this many times as much at the largest size as at the smallest, the cost has a cliff. */
const cliff = 3;

/**
 * @param sizes from small to large
 * @param figure name of the figure that shows whether there is a cliff
 */
export const inSizes = async (
  sizes: readonly number[],
  unit: string,
  say: (text: string) => void,
  figure: string,
  measure: (size: number) => Promise<Record<string, number>>,
) => {
  const figures: Record<string, number> = {};
  const costs: number[] = [];
  for (const size of sizes) {
    const found = await measure(size);
    costs.push(found[figure] ?? NaN);
    say(`${size} ${unit}: ${lineOf(found)}`);
    for (const [name, value] of Object.entries(found)) figures[`${size}_${unit}_${name}`] = round(value);
  }
  const growth = (costs.at(-1) ?? NaN) / (costs[0] ?? NaN);
  if (growth > cliff) say(`  a cliff: ${figure} grows to ${growth.toFixed(1)} times`);
  return { ...figures, [`${figure}_growth_ratio`]: round(growth) };
};
