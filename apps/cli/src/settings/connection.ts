import { existsSync } from 'node:fs';
import type { Environment } from '../config.js';
import { CliError, exitCodes, UsageError } from '../errors.js';
import { type Profile, Profiles } from './profiles.js';
import { keyFromFile, keyFromText } from './secret-input.js';

export interface ConnectionOptions {
  profile?: string;
  url?: string;
  keyFile?: string;
}

/** The address and the key file of `npm start` in a clone of the repository. */
export const developmentUrl = 'http://127.0.0.1:8080';
const developmentKeyFile = '.lanyard/admin.key';

/** Checks the address of a server. Returns it in normalized form. */
export const checkedTarget = (text: string): string => {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UsageError(`"${text}" is not an address.`, `An address looks like ${developmentUrl}.`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UsageError('The address must start with http:// or https://.');
  if (url.username !== '' || url.password !== '')
    throw new UsageError('The address must not contain a user name or password.');
  return url.href;
};

/** The address of the service, to which paths are appended. */
export const checkedUrl = (text: string): string => checkedTarget(text).replace(/\/+$/, '');

/** Whether data sent to this address stays on this machine. `url`: as `checkedUrl` returns it. */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

const notSignedIn = (): CliError =>
  new CliError(
    'You are not signed in.',
    exitCodes.notPermitted,
    existsSync(developmentKeyFile)
      ? `Run "lanyard login --url ${developmentUrl} --key-file ${developmentKeyFile}".`
      : 'Run "lanyard login --url https://lanyard.example".',
  );

type Given = Pick<Environment, 'url' | 'key' | 'keyFile'>;

/** The environment's settings, which are ignored if an option names a profile. */
const givenBy = (options: ConnectionOptions, environment: Environment): Given =>
  options.profile === undefined ? environment : { url: undefined, key: undefined, keyFile: undefined };

/** The key of the option or of the environment; undefined without one. */
export const givenKey = (options: ConnectionOptions, environment: Environment): string | undefined => {
  if (options.keyFile !== undefined) return keyFromFile(options.keyFile);
  const { key, keyFile } = givenBy(options, environment);
  if (key !== undefined) return keyFromText(key, 'LANYARD_KEY');
  return keyFile === undefined ? undefined : keyFromFile(keyFile);
};

/** The address of a login. That of the environment is for a profile that an option names only if the profile is new. */
export const urlToSignIn = (
  options: ConnectionOptions,
  environment: Environment,
  stored: Profile | undefined,
): string => {
  const given = options.url ?? givenBy(options, environment).url;
  return given ?? stored?.url ?? environment.url ?? developmentUrl;
};

const storedProfile = (options: ConnectionOptions, environment: Environment): Profile | undefined => {
  const profiles = new Profiles(environment.folder);
  const wanted = options.profile ?? environment.profile;
  return wanted === undefined ? profiles.find(profiles.current) : profiles.get(wanted);
};

/** The address and the key: options take precedence over the environment, and the environment over the profile. */
export const connectionOf = (options: ConnectionOptions, environment: Environment): Profile => {
  const key = givenKey(options, environment);
  const givenUrl = options.url ?? givenBy(options, environment).url;
  const url = givenUrl === undefined ? undefined : checkedUrl(givenUrl);
  if (key !== undefined && url !== undefined) return { url, key };
  const stored = storedProfile(options, environment);
  if (key !== undefined) return { url: stored?.url ?? developmentUrl, key };
  if (!stored) throw notSignedIn();
  // The key for one service must not be sent to another.
  if (url !== undefined && url !== stored.url)
    throw new UsageError(
      `The key of this profile belongs to ${stored.url}, not to ${url}.`,
      'Pass --key-file as well, or sign in to that address with "lanyard login --profile NAME".',
    );
  return stored;
};
