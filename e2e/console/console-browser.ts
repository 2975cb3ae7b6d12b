import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isLongRun, patienceMs } from '@lanyard/testing';
import type { Result, RunOptions } from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { chromiumPath } from '../../tools/lanyard/browser.ts';

const heights = { 400: 860, 1_280: 860, 2_560: 1_440 } as const;

interface View {
  width: keyof typeof heights;
  scheme: 'light' | 'dark';
  /**
   * `colours`: everything else was checked in the other colour scheme of this width. `none`: a page shows at this width what it
   * shows at the one before, in wider columns, so that it can only be too wide.
   * `opened`: the dialog or menu above a page, which another test checks at this width.
   */
  checked?: 'colours' | 'opened' | 'none';
}

/** One narrow and dark, one wide and light. */
const fewViews: readonly View[] = [
  { width: 400, scheme: 'dark' },
  { width: 1_280, scheme: 'light' },
];

/** A dialog or a menu, in one of the views together with the page behind it. */
export const dialogViews: readonly View[] = [
  { width: 400, scheme: 'dark' },
  { width: 1_280, scheme: 'light', checked: 'opened' },
];

/** Only whether the page is wider than a narrow window. */
export const narrowOnly: readonly View[] = [{ width: 400, scheme: 'dark', checked: 'none' }];

/** `npm test -- --long` checks each width in each scheme, one width after another, so that a page is laid out once per width. */
const views: readonly View[] = isLongRun
  ? [
      { width: 400, scheme: 'dark' },
      { width: 400, scheme: 'light', checked: 'colours' },
      { width: 1_280, scheme: 'light' },
      { width: 1_280, scheme: 'dark', checked: 'colours' },
      { width: 2_560, scheme: 'light', checked: 'none' },
    ]
  : fewViews;

/** The minified build, less than half as large as the one that the package exports, because every new document has to parse it. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Folder of the screenshots, for a person to look at. */
const folder = join(import.meta.dirname, '../../.lanyard/screenshots');

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** More than the focusable elements of a page. */
const tabsMax = 100;

const allRules: RunOptions['runOnly'] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const rulesOfColours: RunOptions['runOnly'] = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** What is open above a page. */
const opened = '[role=dialog], [role=menu]';

/** Leaves out what only a report of all rules needs, because it takes longer than the rules. */
const options: RunOptions = { resultTypes: ['violations'], selectors: false };

/** A person at the console: one browser, one page at a time, signed in with one key. */
export class ConsoleBrowser {
  /** Errors that the page wrote to its console, including refusals of the Content-Security-Policy. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
    private readonly baseUrl: string,
  ) {
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      // A browser logs every answer of 400 and above.
      if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()))
        this.complaints.push(message.text());
    });
  }

  static async open(baseUrl: string): Promise<ConsoleBrowser> {
    const browser = await chromium.launch({ executablePath: chromiumPath, args: flags });
    const page = await browser.newPage({ viewport: { width: 1_280, height: 860 } });
    page.setDefaultTimeout(patienceMs);
    return new ConsoleBrowser(browser, page, baseUrl);
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  async signIn(key: string): Promise<void> {
    await this.page.context().clearCookies();
    await this.page.goto(`${this.baseUrl}/console`);
    await this.page.getByPlaceholder('ak_1…').fill(key);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Signs in without the page, as in another tab: all tabs have the same cookie. */
  async signInElsewhere(key: string): Promise<void> {
    const answer = await this.page.context().request.post(`${this.baseUrl}/v3/session`, { data: { api_key: key } });
    if (!answer.ok()) throw new Error(`POST /v3/session: ${answer.status()}`);
  }

  /** Opens a page by its path below `/console`, and waits for its title. */
  async visit(path: string, title: string | RegExp): Promise<void> {
    await this.page.goto(`${this.baseUrl}/console${path}`, { waitUntil: 'commit' });
    await this.page.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  /** Opens another page as a link of the console does, which loads no document again, and waits for its title. */
  async turnTo(path: string, title: string | RegExp): Promise<void> {
    await this.page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);
    await this.page.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  /** Waits for a text in the only element with this role. */
  async says(role: 'alert' | 'dialog' | 'status', text: RegExp): Promise<void> {
    await this.page.getByRole(role).getByText(text).waitFor();
  }

  /** Waits for a text, which the page may have several times. */
  async shows(text: RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Moves the focus to an element, as a person without a mouse does. */
  async tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.waitFor();
    for (let n = 0; n < tabsMax; n++) {
      await this.page.keyboard.press(key);
      if ((await target.and(this.page.locator(':focus')).count()) > 0) return;
    }
    throw new Error(`${key} does not lead to ${target}`);
  }

  /** Problems that axe finds, and whether the page is wider than the window, in every view. Those leave a screenshot. */
  async faults(name: string, viewed = views): Promise<string[]> {
    const found: string[] = [];
    for (const view of viewed) {
      await this.show(view);
      const place = `${name}-${view.width}-${view.scheme}`;
      const violations = await this.violationsIn(view);
      if (await this.overflows()) violations.push('wider than the window');
      if (violations.length > 0) await this.photograph(place);
      found.push(...violations.map((violation) => `${place}: ${violation}`));
    }
    await this.show({ width: 1_280, scheme: 'light' });
    return found;
  }

  /** Lets calls, of one method or of all, wait until they are released, and counts them. */
  async hold(
    url: Parameters<Page['route']>[0],
    method?: string,
  ): Promise<{ calls: () => number; release: () => void }> {
    let calls = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await this.page.route(url, async (route) => {
      if (method === undefined || route.request().method() === method) {
        calls++;
        await held;
      }
      // The page may have given up the call.
      await route.continue().catch(() => undefined);
    });
    return { calls: () => calls, release };
  }

  private async show({ width, scheme }: View): Promise<void> {
    await this.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await this.page.setViewportSize({ width, height: heights[width] });
  }

  /** `.lanyard/screenshots/NAME.png` */
  async photograph(name: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  }

  /** Waits for the end of transitions, so that colours are final. */
  private async waitForTransitions(): Promise<void> {
    await this.page.evaluate(`new Promise(requestAnimationFrame).then(() => Promise.allSettled(
      document.getAnimations().filter(({ effect }) => effect.getTiming().iterations < Infinity).map(({ finished }) => finished)))`);
  }

  private async violationsIn({ checked }: View): Promise<string[]> {
    if (checked === 'none') return [];
    if (checked === 'opened') return this.violationsOfOpened();
    return this.violations(checked === 'colours' ? rulesOfColours : allRules);
  }

  /** Problems of the dialogs and menus that are open, without the page behind them: a test without them checks the page. */
  violationsOfOpened(): Promise<string[]> {
    return this.violations(allRules, opened);
  }

  /** Problems that axe finds on the page, or within some elements: the rule, and the elements that break it. */
  async violations(runOnly = allRules, within?: string): Promise<string[]> {
    await this.waitForTransitions();
    if (!(await this.page.evaluate<boolean>("'axe' in window"))) await this.page.evaluate(axeSource);
    const context = within === undefined ? 'document' : JSON.stringify(within);
    const violations = await this.page.evaluate<Result[]>(
      `axe.run(${context}, ${JSON.stringify({ ...options, runOnly })}).then(({ violations }) => violations)`,
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  }

  /** Whether the page made elements of another user's text, or executed it: see `script`. */
  tookTextForHtml(): Promise<boolean> {
    return this.page.evaluate(`'wasRun' in window || document.querySelector('img[src="x"]') !== null`);
  }

  private overflows(): Promise<boolean> {
    return this.page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  }
}
