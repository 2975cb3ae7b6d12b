/** docs/capacity.md: plans for three sizes of the usual fleet, and the costs that they were made with. */
import { readFileSync } from 'node:fs';
import { usualFleet, usualPrices } from '../capacity/fleet.ts';
import { planOf } from '../capacity/plan.ts';
import { fleetText, planText, unitCostsText } from '../capacity/report.ts';

const sizes = { 'One million devices': 1e6, 'Ten million devices': 1e7, 'A hundred million devices': 1e8 };

const plans = () =>
  Object.entries(sizes)
    .map(([title, devices]) => {
      const fleet = { ...usualFleet, devices };
      return `## ${title}\n\n${fleetText(fleet)}.\n\n${planText(fleet, planOf(fleet, usualPrices), usualPrices)}`;
    })
    .join('\n\n');

export const capacityPage = () =>
  readFileSync(new URL('capacity-page.md', import.meta.url), 'utf8')
    .replace('{{plans}}', plans())
    .replace('{{costs}}', unitCostsText());
