/** The images' HEALTHCHECK: ready, or not. There is no shell and no curl in them. */
const { HTTP_PORT: port } = process.env;
const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
