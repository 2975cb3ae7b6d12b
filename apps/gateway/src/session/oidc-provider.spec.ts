import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { GatewayConfig } from '../config.js';
import { ProviderUnavailable, SignInFailed } from '../errors.js';
import { OidcProvider } from './oidc-provider.js';

interface Answer {
  status: number;
  type: string;
  body: string;
}

let provider: OidcProvider;
let metadata: Answer;
let answer: Answer;
/** Of a proxy, while the provider restarts. */
const restarting: Answer = { status: 503, type: 'text/html', body: '<h1>Service Unavailable</h1>' };

const server = createServer(({ url = '' }, response) => {
  const other = url === '/userinfo' ? restarting : answer;
  const { status, type, body } = url.startsWith('/.well-known/') ? metadata : other;
  response.writeHead(status, { 'content-type': type }).end(body);
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = { token_endpoint: `${issuer}/token`, userinfo_endpoint: `${issuer}/userinfo` };
  metadata = { status: 200, type: 'application/json', body: JSON.stringify({ issuer, ...endpoints }) };
  const oidc = { issuer: new URL(issuer), clientId: 'lanyard' };
  provider = new OidcProvider({ oidc, secrets: {} } as unknown as GatewayConfig);
});
afterAll(() => {
  server.close().closeAllConnections();
});

it.each<[number, string, string, new () => Error]>([
  [400, 'application/json', '{"error":"invalid_grant"}', SignInFailed],
  [429, 'application/json', '{"error":"too_many_requests"}', ProviderUnavailable],
  [429, 'text/plain', 'Too many requests', ProviderUnavailable],
  [restarting.status, restarting.type, restarting.body, ProviderUnavailable],
  [500, 'application/json', '{"error":"server_error"}', ProviderUnavailable],
])('tells a refusal of a refresh token from an outage: %i %s %s', async (status, type, body, thrown) => {
  answer = { status, type, body };
  const keep = (): Promise<void> => Promise.resolve();
  await expect(provider.refresh('a-token', 'ada', keep)).rejects.toBeInstanceOf(thrown);
});

it('passes the next refresh token on before it reads the claims of the person, which may fail', async () => {
  const tokens = { access_token: 'an-access-token', token_type: 'bearer', expires_in: 300, refresh_token: 'the-next' };
  answer = { status: 200, type: 'application/json', body: JSON.stringify(tokens) };
  const kept: string[] = [];
  const keep = (refreshToken: string): Promise<void> => Promise.resolve(void kept.push(refreshToken));
  await expect(provider.refresh('a-token', 'ada', keep)).rejects.toBeInstanceOf(ProviderUnavailable);
  expect(kept).toEqual(['the-next']);
});
