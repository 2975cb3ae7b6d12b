/**
 * A second reference: what passes requests on to the constant, and does nothing else. The least that a gateway in a process of
 * its own costs with `node:http` and undici: it authenticates no caller, and counts nothing.
 *
 *   node bench/rest/passing.mjs URL   says `listening PORT`
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const pool = new Pool(/** @type {string} */ (process.argv[2]));

const server = createServer((request, response) => {
  const { method = 'GET', url: path = '/', headers } = request;
  const { host: _, connection: __, ...passed } = headers;
  pool.request({ method: /** @type {import('undici').Dispatcher.HttpMethod} */ (method), path, headers: passed }).then(
    async (answer) => {
      const body = Buffer.from(await answer.body.arrayBuffer());
      response.writeHead(answer.statusCode, answer.headers);
      response.end(body);
    },
    (error) => response.destroy(error),
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`listening ${port}\n`);
});
