/** The OpenAPI document of all services, as the gateway serves it, created without starting anything. Needs a build. */
import { ownDocument } from '../../apps/gateway/dist/openapi/serve.js';
import { mergeDocuments } from '../../apps/gateway/dist/openapi/merge.js';
import { routeOf } from '../../apps/gateway/dist/proxy/routes.js';
import { upstreams } from '../../apps/gateway/dist/upstreams.js';
import { containerToDocument, documentBuilder, documentOf } from '@lanyard/service';

const container = async (app: string) => {
  const { AppModule } = await import(`../../apps/${app}/dist/app.module.js`);
  return containerToDocument(AppModule);
};

export const openApi = async () => {
  const others = await Promise.all(
    upstreams.map(async (upstream) => ({
      upstream,
      document: documentOf(await container(upstream), documentBuilder(upstream).build()),
    })),
  );
  return mergeDocuments(
    ownDocument(await container('gateway')),
    others,
    (upstream, path) => routeOf(path)?.upstream === upstream,
  );
};
