// An OpenID provider as a process of its own: npm's oidc-provider, where the test says who signs in.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [redirectUri] = process.argv.slice(2);
/** Subject -> claims; `current` signs in, null refuses. */
const people = new Map();
let current = null;

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'lanyard',
      client_secret: 'a-secret-of-the-client',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token', deviceGrant],
      response_types: ['code'],
    },
  ],
  cookies: { keys: ['test'] },
  claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
  scopes: ['openid', 'profile', 'email', 'groups'],
  features: { devInteractions: { enabled: false }, deviceFlow: { enabled: true } },
  pkce: { required: () => true },
  issueRefreshToken: async () => people.get(current)?.withoutRefresh !== true,
  ttl: { AccessToken: 300, IdToken: 300, RefreshToken: 86_400, Session: 86_400, Grant: 86_400, Interaction: 600 },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  findAccount: async (_ctx, sub) =>
    people.has(sub) && !people.get(sub).gone
      ? { accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) }
      : undefined,
});

const interact = async (request, response) => {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const finish = (result) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: prompt.name === 'consent' });
  if (current === null) return finish({ error: 'access_denied' });
  if (prompt.name === 'login') return finish({ login: { accountId: current } });
  const known = grantId && (await provider.Grant.find(grantId));
  const grant = known || new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  return finish({ consent: { grantId: await grant.save() } });
};

const handle = provider.callback();
server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) return handle(request, response);
  interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
});
process.on('message', ({ who, claims }) => {
  if (who && claims) people.set(who, claims);
  current = who;
  process.send('ok');
});
process.send(issuer);
