/** The browser in which the tests look at the console. */
import { existsSync } from 'node:fs';
import { installPackages } from './programs.ts';

/** By default, that of Debian's package `chromium`. */
export const chromiumPath = process.env.LANYARD_CHROMIUM ?? '/usr/bin/chromium';

/** Installs it where it is missing. Throws Stop with the command where only root could. */
export const ensureBrowser = () => {
  if (!existsSync(chromiumPath)) installPackages(['chromium']);
};
