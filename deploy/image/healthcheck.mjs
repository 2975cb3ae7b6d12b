/** The HEALTHCHECK of the images, which have no shell and no curl: ends with 0 if the service is ready, else with 1. */
const { HTTP_PORT: port } = process.env;
const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
