import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Advice {
  /** One for all samples, or one for each. */
  advice: string | string[];
  /** The object whose field the error names: an API key, for example. */
  of?: string;
  samples?: unknown[][];
}

type Written = Record<string, string | Advice>;

interface Page {
  everywhere: Written;
  apps: Record<string, Written>;
  outcomes: Record<string, string | Record<string, string>>;
  close_causes: Record<string, string>;
  devices: Record<string, [when: string, todo: string]>;
}

const page: Page = parse(readFileSync(new URL('error-advice.yaml', import.meta.url), 'utf8'));

const whole = (written: Written): Record<string, Advice> =>
  Object.fromEntries(
    Object.entries(written).map(([name, advice]) => [name, typeof advice === 'string' ? { advice } : advice]),
  );

/** Errors of `libs/service`, with which any service may answer. */
export const everywhere = whole(page.everywhere);
export const ofApps = Object.fromEntries(Object.entries(page.apps).map(([app, written]) => [app, whole(written)]));
/**
 * Outcomes of commands, by token, or by their names in the code if one token has several; close codes of WebSockets, by
 * cause; answers to devices, by CoAP code.
 */
export const { outcomes: ofOutcomes, close_causes: ofCloseCauses, devices: ofDevices } = page;
