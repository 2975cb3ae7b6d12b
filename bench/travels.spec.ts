import { expect, it } from '@jest/globals';
import { until } from './travels.ts';

it('a benchmark whose events do not come says how many came until the end', async () => {
  let came = 0;
  const waiting = until(() => ++came > 1_000, '1000 events', { timeoutMs: 100, found: () => `${came} came` });
  await expect(waiting).rejects.toThrow(/^1000 events is not ready after 0\.1 s\. [1-9]\d* came$/);
});
