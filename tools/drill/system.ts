/** The system for drills: as durable as under `npm start`, and by default with two replicas of each service. */
import { apps } from '../lanyard/service-processes.ts';
import { pollOften } from './update-campaign.ts';
import { deadLetters } from './verdict.ts';
import { TestSystem, type TestSystemOptions } from '../testing/test-system.ts';

/** The machine may be busy with other things. */
const startWithinMs = 600_000;

export const drillSettings = {
  LOG_LEVEL: 'info',
  // All load comes from one address and one key.
  GATEWAY_KEY_RATE_PER_SECOND: '5000',
  GATEWAY_KEY_RATE_BURST: '10000',
  ...pollOften,
};

class DrillSystem extends TestSystem {
  async deadLetters() {
    return deadLetters(this.logs);
  }
}

export const startDrillSystem = (options: Partial<TestSystemOptions> = {}): Promise<DrillSystem> => {
  const replicas = Object.fromEntries(apps.map((app) => [app, 2]));
  return new DrillSystem({ name: 'drill', replicas, env: drillSettings, startWithinMs, ...options }).start();
};
