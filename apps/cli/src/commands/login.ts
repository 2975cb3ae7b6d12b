import { Lanyard } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli, GlobalOptions } from '../cli.js';
import { UsageError } from '../errors.js';
import { signInWithDevice } from './device-sign-in.js';
import type { Output } from '../output/output.js';
import { onOneLine } from '../output/safe-text.js';
import { checkedUrl, developmentUrl, givenKey, isLoopback, urlToSignIn } from '../settings/connection.js';
import { isSessionToken, type Profile, Profiles } from '../settings/profiles.js';
import { keyFromInput } from '../settings/secret-input.js';

interface SignedIn {
  key: string;
  account_id: string;
  account_name: string;
}

const withKey = async (url: string, given: string | undefined, signal: AbortSignal): Promise<SignedIn> => {
  const key = given ?? (await keyFromInput(signal));
  const lanyard = new Lanyard({ baseUrl: url, key, retries: 0 });
  const account = await lanyard.call('GET /v3/accounts/{id}', { path: { id: 'me' } }, { signal });
  // Something else may answer: the console, for example, answers every path below its own with its page.
  if (account?.object !== 'account')
    throw new UsageError(`${url} is not the address of the service.`, `An address looks like ${developmentUrl}.`);
  return { key, account_id: account.id, account_name: account.display_name };
};

/** Signs a person in at the provider. The token of the session is then used in place of a key. */
const withProvider = async (url: string, out: Output, signal: AbortSignal): Promise<SignedIn> => {
  const { token, ...session } = await signInWithDevice(new Lanyard({ baseUrl: url, key: '' }), out, signal);
  return { key: token, ...session };
};

/** Ends the session of a person; a key stays valid. Returns whether there was a session. */
const endSession = async (cli: Cli, { url, key }: Profile): Promise<boolean> => {
  if (!isSessionToken(key)) return false;
  await new Lanyard({ baseUrl: url, key }).call('DELETE /v3/session', {}, { signal: cli.signal });
  return true;
};

const logIn = async (cli: Cli, command: Command): Promise<void> => {
  const options = command.optsWithGlobals<GlobalOptions & { oidc?: boolean }>();
  if (options.oidc && options.keyFile !== undefined)
    throw new UsageError('A person signs in without a key.', 'Omit --oidc or --key-file.');
  const out = cli.output(command);
  const profiles = new Profiles(cli.environment.folder);
  const name = options.profile ?? cli.environment.profile ?? profiles.current;
  const url = checkedUrl(urlToSignIn(options, cli.environment, profiles.find(name)));
  if (url.startsWith('http://') && !isLoopback(url)) out.note(`Warning: the key is sent to ${url} without encryption.`);
  const signIn = (): Promise<SignedIn> =>
    options.oidc ? withProvider(url, out, cli.signal) : withKey(url, givenKey(options, cli.environment), cli.signal);
  const { key, account_id: id, account_name: account } = await signIn();
  profiles.save(name, { url, key });
  const shown = { profile: name, url, account_id: id, account_name: account };
  await out.result(shown, () => `Signed in to ${url} as ${onOneLine(account || id)} (profile ${name}).`);
};

export const addLogin = (program: Command, cli: Cli): void => {
  program
    .command('login')
    .description(
      'Sign in with an API key or as a person; the key or session is stored in a profile that only you can read',
    )
    .option('--oidc', 'sign in as a person with the OpenID provider of the service, in any browser')
    .addHelpText(
      'after',
      '\nThe command asks for the key without showing it. In scripts, use a pipe or --key-file:\n' +
        '  lanyard login --url https://lanyard.example < key.txt',
    )
    .action((_, command: Command) => logIn(cli, command));

  program
    .command('logout')
    .description('Forget the key of a profile; the session of a person ends')
    .action(async (_, command: Command) => {
      const profiles = new Profiles(cli.environment.folder);
      const { current } = profiles;
      const name = command.optsWithGlobals<GlobalOptions>().profile ?? cli.environment.profile ?? current;
      const hasEnded = await endSession(cli, profiles.get(name));
      profiles.remove(name);
      const note = hasEnded ? 'The session has ended' : `The key of profile ${name} is deleted here; it stays valid`;
      const out = cli.output(command);
      out.note(`${note} in the service.`);
      const next = profiles.current === current ? undefined : profiles.find(profiles.current);
      if (next) out.note(`The current profile is now ${profiles.current}, for ${next.url}.`);
    });

  program
    .command('profiles')
    .description('List the profiles, or choose the one that is used')
    .argument('[name]', 'profile to use from now on')
    .action(async (name: string | undefined, _, command: Command) => {
      const profiles = new Profiles(cli.environment.folder);
      if (name !== undefined) profiles.select(name);
      const all = profiles.all().map(([each, { url }]) => ({ name: each, url, current: each === profiles.current }));
      const columns = [
        { title: '', of: ({ current }: (typeof all)[number]) => (current ? '*' : '') },
        { title: 'PROFILE', of: (profile: (typeof all)[number]) => profile.name },
        { title: 'URL', of: ({ url }: (typeof all)[number]) => url },
      ];
      const count = await cli.output(command).list(all, columns, (profile) => profile.name);
      if (count === 0) cli.output(command).note('There are no profiles yet: run "lanyard login".');
    });
};
