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

const server = createServer((request, response) => {
  const { status, type, body } = request.url?.startsWith('/.well-known/') ? metadata : answer;
  response.writeHead(status, { 'content-type': type }).end(body);
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const body = JSON.stringify({ issuer, token_endpoint: `${issuer}/token` });
  metadata = { status: 200, type: 'application/json', body };
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
  // Of a proxy, while the provider restarts.
  [503, 'text/html', '<h1>Service Unavailable</h1>', ProviderUnavailable],
  [500, 'application/json', '{"error":"server_error"}', ProviderUnavailable],
])('tells a refusal of a refresh token from an outage: %i %s %s', async (status, type, body, thrown) => {
  answer = { status, type, body };
  await expect(provider.refresh('a-token', 'ada')).rejects.toBeInstanceOf(thrown);
});
