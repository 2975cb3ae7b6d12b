/** How soon a page of the console is usable, compared with a page that is only a heading. */
import { serve } from '@lanyard/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumPath, ensureBrowser } from '../../tools/lanyard/browser.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { median, percentile, round } from '../statistics.ts';
import type { Bench } from '../benches.ts';

const devices = 24;

const visitsEach = 10;

const pages = [
  { name: 'fleet', path: '/', title: 'Fleet' },
  { name: 'devices', path: '/devices', title: 'Devices' },
];

const bareTitle = 'Bare';

const startBare = () =>
  serve((_, response) => response.setHeader('content-type', 'text/html').end(`<!doctype html><h1>${bareTitle}</h1>`));

/** @returns milliseconds until the heading is there */
const visit = async (page: Page, url: string, title: string) => {
  const startedAt = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  return performance.now() - startedAt;
};

const signedIn = async (browser: Browser, url: string, key: string) => {
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByPlaceholder('ak_1…').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  return page;
};

export const consolePages: Bench = {
  about: 'ms until a page of the console can be used, the first time and again, beside a page with a heading only',
  async run({ system, rounds, say }) {
    ensureBrowser();
    const bare = await startBare();
    const fleet = await Simulator.start({ devices, 'values-per-second': 20, server: system.coapUrl });
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] });
    const tookMs: Record<string, number[]> = {};
    const note = async (name: string, page: Page, url: string, title: string) =>
      (tookMs[name] ??= []).push(await visit(page, url, title));
    try {
      const console = `${system.baseUrl}/console`;
      const page = await signedIn(browser, console, system.adminKey);
      const session = await page.context().newCDPSession(page);
      for (let n = 0; n < visitsEach * rounds; n++)
        for (const { name, path, title } of pages) {
          await note('bare', page, bare.url, bareTitle);
          await session.send('Network.clearBrowserCache');
          await note(`${name}_first`, page, console + path, title);
          await note(`${name}_again`, page, console + path, title);
        }
    } finally {
      await browser.close();
      await fleet.stop();
      bare.stop();
    }
    const figures: Record<string, number> = {};
    for (const [name, all] of Object.entries(tookMs)) {
      say(`${name}: median ${median(all).toFixed(0)} ms, slowest ${Math.max(...all).toFixed(0)} ms`);
      figures[`${name}_p50_ms`] = round(median(all));
      figures[`${name}_p95_ms`] = round(percentile(all, 0.95));
      if (name !== 'bare') figures[`${name}_ratio`] = round(median(all) / median(tookMs['bare'] ?? []));
    }
    return figures;
  },
};
