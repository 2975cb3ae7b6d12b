import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Application } from '../application.ts';
import { ConsoleBrowser } from '../console/console-browser.ts';
import { type RunningSystem, startSystem } from '../system.ts';

const devices = 100_000;

const heapGrowthMaxBytes = 15_000_000;

/** What the main thread of a page may take for a screen of rows, in ms of processor time; a frame of 200 ms has one. */
const screenMaxMs = 100;

interface Scrolled {
  /** In ms. */
  longest: number;
  frames: number;
}

/** From the top to the bottom, so many screens per frame, waiting for pages that are on their way. */
const scroll = (screens: number): string => `(async () => {
  const list = document.querySelector('[role=region][aria-label=Devices]');
  const rows = Number(document.querySelector('[role=table][aria-label=Devices]').getAttribute('aria-rowcount')) - 1;
  list.scrollTop = 0;
  let longest = 0;
  let last = performance.now();
  for (let frames = 1; ; frames++) {
    const now = await new Promise(requestAnimationFrame);
    longest = Math.max(longest, now - last);
    last = now;
    list.scrollTop += ${screens} * list.clientHeight;
    if (list.scrollTop + list.clientHeight >= rows * 44) return { longest, frames };
  }
})()`;

describe('the list of a large fleet', () => {
  let system: RunningSystem;
  let app: Application;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    system = await startSystem('console-fleet');
    app = new Application(system.baseUrl, system.adminKey);
    const rows = Array.from({ length: devices }, (_, n) => `fleet-${n},Device ${n},meter,SN-${n}`);
    const csv = ['endpoint_name,name,endpoint_type,serial_number', ...rows].join('\n');
    const { json } = await app.call('POST', '/v3/device-imports?name=fleet', csv, { 'content-type': 'text/csv' });
    await eventually(
      async () => {
        const { json: state } = await app.call('GET', `/v3/device-imports/${json.id}`);
        expect(state).toMatchObject({ status: 'completed', processed_count: devices, errors_count: 0 });
      },
      { timeoutMs: 1_800_000 },
    );
    browser = await ConsoleBrowser.open(system.baseUrl);
    await browser.signIn(system.adminKey);
    await browser.page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  }, 2_400_000);

  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  it('shows its first rows, whatever its length', async () => {
    const tookMs: number[] = [];
    for (let n = 0; n < 2; n++) {
      const startedAt = performance.now();
      await browser.visit('/devices', 'Devices');
      await browser.page
        .getByText(/^Device \d+$/)
        .first()
        .waitFor();
      tookMs.push(performance.now() - startedAt);
    }
    // Said, not checked: other programs use the processors too.
    process.stderr.write(`first rows after ${tookMs.map((ms) => ms.toFixed(0)).join(', ')} ms\n`);
  });

  it('scrolls to its end, and again and again without taking more memory', async () => {
    const { page } = browser;
    const session = await page.context().newCDPSession(page);
    const heap = async (): Promise<number> => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    // Of the processor, not of the clock: other programs do not count.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const worked = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1_000;
    };
    const { longest } = await page.evaluate<Scrolled>(scroll(30));
    await page.locator(`[role=row][aria-rowindex="${devices + 1}"]`).waitFor();
    const longestMs = [longest];
    const screenMs: number[] = [];
    const filled = await heap();
    for (let n = 0; n < 3; n++) {
      const before = await worked();
      const again = await page.evaluate<Scrolled>(scroll(30));
      longestMs.push(again.longest);
      screenMs.push(((await worked()) - before) / again.frames);
    }
    const grown = (await heap()) - filled;
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    const rounded = (all: readonly number[]) => all.map((ms) => ms.toFixed(1)).join(', ');
    process.stderr.write(
      `longest frames ${rounded(longestMs)} ms; processor time of a screen ${rounded(screenMs)} ms; ` +
        `heap ${megabytes(filled)}, later ${megabytes(grown)} more\n`,
    );
    expect(Math.min(...screenMs)).toBeLessThan(screenMaxMs);
    expect(grown).toBeLessThan(heapGrowthMaxBytes);
  });
});
