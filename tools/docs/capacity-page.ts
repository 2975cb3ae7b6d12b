/** docs/capacity.md: plans for three sizes of the usual fleet, and the costs that the plans are based on. */
import { readFileSync } from 'node:fs';
import { connectionsMaxDefault } from '../../apps/device-proxy/src/limits.ts';
import { type Fleet, usualFleet, usualPrices } from '../capacity/fleet.ts';
import { planOf } from '../capacity/plan.ts';
import { fleetText, planText, unitCostsText } from '../capacity/report.ts';

/** Replicas of the larger fleets have enough memory for more connections than the default. */
const sizes: Record<string, Partial<Fleet>> = {
  'One million devices': { devices: 1e6 },
  'Ten million devices': { devices: 1e7, dtlsConnections: 400_000 },
  'A hundred million devices': { devices: 1e8, dtlsConnections: 1_000_000 },
};

const plans = () =>
  Object.entries(sizes)
    .map(([title, size]) => {
      const fleet = { ...usualFleet, ...size };
      return `## ${title}\n\n${fleetText(fleet)}.\n\n${planText(fleet, planOf(fleet, usualPrices), usualPrices)}`;
    })
    .join('\n\n');

export const capacityPage = () =>
  readFileSync(new URL('capacity-page.md', import.meta.url), 'utf8')
    .replace('{{plans}}', plans())
    .replace('{{dtls}}', connectionsMaxDefault.dtls.toLocaleString('en'))
    .replace('{{tls}}', connectionsMaxDefault.tls.toLocaleString('en'))
    .replace('{{costs}}', unitCostsText());
