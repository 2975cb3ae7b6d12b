import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** An OpenID provider in another process: npm's oidc-provider, where the test decides who signs in. */
export class OidcProcess {
  private constructor(
    readonly issuer: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(redirectUri: string): Promise<OidcProcess> {
    const child = fork(fileURLToPath(new URL('../../oidc-provider.mjs', import.meta.url)), [redirectUri], {
      silent: true,
      execArgv: [],
    });
    const [issuer] = (await once(child, 'message')) as [string];
    return new OidcProcess(issuer, child);
  }

  /** Sets the person who signs in from now on, and the person's claims; null: the person refuses. */
  async setUser(who: string | null, claims?: object): Promise<void> {
    this.child.send({ who, claims });
    await once(this.child, 'message');
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
