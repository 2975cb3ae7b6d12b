import { expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { UsersService } from '../access/users.service.js';
import type { KnownKeys } from '../authentication/known-keys.js';
import type { Refusals } from '../authentication/refusals.js';
import type { SessionAuthenticator } from '../authentication/session-authenticator.js';
import type { Session } from '../db/session.entity.js';
import type { OidcProvider } from './oidc-provider.js';
import { OidcSignInService } from './oidc-sign-in.service.js';
import type { SessionRecordsService } from './session-records.service.js';

const user = { id: 'user', accountId: 'account', subject: 'ada' };
const group = { id: 'group', accountId: 'account' };
const settings = { roles: new Map([['ops', ['group']]]), rolesClaim: 'groups', issuer: new URL('https://idp.example') };

it.each<[string | undefined, string]>([
  ['new', 'new'],
  // RFC 6749 §6: the provider may leave it out, and the old one stays valid.
  [undefined, 'old'],
])('a renewal with the refresh token %s in the answer continues with the %s one', async (given, kept) => {
  const clock = new TestClock();
  const grant = { subject: 'ada', claims: { sub: 'ada', groups: ['ops'] }, seconds: 3_600, refreshToken: given };
  const authenticator = { renewal: undefined } as unknown as SessionAuthenticator;
  const manager = { findOneBy: () => Promise.resolve(user), findBy: () => Promise.resolve([group]) };
  new OidcSignInService(
    { manager } as unknown as DataSource,
    { settings, refresh: () => Promise.resolve(grant) } as unknown as OidcProvider,
    { createOrUpdate: () => Promise.resolve(user) } as unknown as UsersService,
    {} as unknown as KnownKeys,
    {} as unknown as SessionRecordsService,
    authenticator,
    {} as unknown as Refusals,
    clock,
  ).onModuleInit();
  const renewal = await authenticator.renewal?.({ principalId: 'user' } as Session, 'old', () => Promise.resolve());
  expect(renewal).toEqual({ refreshToken: kept, atMs: clock.now() + 3_600_000 });
});
