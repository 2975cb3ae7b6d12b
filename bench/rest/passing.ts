/**
 * A second reference: only passes requests on to another process. This is the least that a gateway in a separate process
 * costs with `node:http` and undici: it authenticates no caller, and counts nothing.
 *
 *   node bench/rest/passing.ts URL   says `ready PORT`
 */
import { createServer } from 'node:http';
import { Pool, type Dispatcher } from 'undici';
import { sayPort } from '../../tools/testing/program.ts';

const pool = new Pool(process.argv[2] as string);

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const { method = 'GET', url: path = '/', headers } = request;
  const { host: _, connection: __, ...passed } = headers;
  const body = method === 'GET' ? null : request;
  pool.request({ method: method as Dispatcher.HttpMethod, path, headers: passed, body }).then(
    async (answer) => {
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      response.writeHead(answer.statusCode, answer.headers);
      response.end(bytes);
    },
    (error) => response.destroy(error),
  );
});
server.listen(0, '127.0.0.1', () => sayPort(server));
