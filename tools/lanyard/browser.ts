/** The browser in which the console is tested. */
import { existsSync } from 'node:fs';
import { installPackages } from './programs.ts';

/** By default, the browser of Debian's package `chromium`. */
export const chromiumPath = process.env.LANYARD_CHROMIUM ?? '/usr/bin/chromium';

/** Installs the browser if it is missing. Throws Stop with the command if only root can do so. */
export const ensureBrowser = () => {
  if (!existsSync(chromiumPath)) installPackages(['chromium']);
};
