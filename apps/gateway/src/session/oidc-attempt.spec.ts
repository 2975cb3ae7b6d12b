import { describe, expect, it } from '@jest/globals';
import { attemptOf, returnPath, setAttemptCookie } from './oidc-attempt.js';

describe('where a sign-in leads', () => {
  it.each(['/console', '/console/', '/console/devices/0a?tab=events&x=%2F'])('%s: there', (path) =>
    expect(returnPath(path)).toBe(path),
  );

  it.each([
    'https://evil.example/console',
    '//evil.example/console',
    '/\\evil.example',
    '/console\\..\\..',
    '/console/../v3/session',
    '/console//evil.example',
    '/consoles',
    '/console#@evil',
    '/console\r\nset-cookie: a=b',
    'javascript:alert(1)',
    '/v3/devices',
    ['/console'],
    undefined,
  ])('%j: to the start of the console', (path) => expect(returnPath(path)).toBe('/console'));
});

describe('the attempt that a browser keeps', () => {
  const attempt = { state: 's', nonce: 'n', verifier: 'v', returnTo: '/console/keys' };
  const cookie = (isSecure: boolean): string => setAttemptCookie(attempt, isSecure).split(';', 1)[0] as string;

  it('comes back as it was', () => {
    expect(attemptOf({ cookie: `a=b; ${cookie(false)}` }, false)).toEqual(attempt);
    expect(attemptOf({ cookie: cookie(true) }, true)).toEqual(attempt);
    expect(setAttemptCookie(attempt, true)).toMatch(/^__Host-lanyard_oidc=.*; Path=\/; .*; Secure$/);
  });

  it.each([
    undefined,
    'lanyard_oidc=',
    'lanyard_oidc=x',
    `lanyard_oidc=${Buffer.from('null').toString('base64url')}`,
    `lanyard_oidc=${Buffer.from('{"state":1}').toString('base64url')}`,
  ])('is none: %s', (header) =>
    expect(attemptOf(header === undefined ? {} : { cookie: header }, false)).toBeUndefined(),
  );

  it('is none if there are two, or if it was set without __Host- over https', () => {
    expect(attemptOf({ cookie: `${cookie(false)}; ${cookie(false)}` }, false)).toBeUndefined();
    expect(attemptOf({ cookie: cookie(false) }, true)).toBeUndefined();
  });

  it('leads nowhere else, whatever is in it', () => {
    const planted = Buffer.from(JSON.stringify({ ...attempt, returnTo: '//evil.example' })).toString('base64url');
    expect(attemptOf({ cookie: `lanyard_oidc=${planted}` }, false)?.returnTo).toBe('/console');
  });
});
