/** Pages of Prometheus, as a test reads them. */

export type Samples = Map<string, number>;

/** A simulator of thousands of devices that all arrive at once, on cores that are shared by thirty processes, took more than a minute. */
const answerMaxMs = 300_000;

/**
 * By name and labels as they are written there. On a connection of its own: a process that stood still closes those that
 * were idle meanwhile, at the moment in which it is asked.
 */
export const scrape = async (url: string): Promise<Samples> => {
  const response = await fetch(`${url}/metrics`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(answerMaxMs),
  });
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at))];
    }),
  );
};

/** Over all labels, or those that have this text in them. */
export const sum = (samples: Samples, name: string, label = ''): number =>
  [...samples].reduce(
    (total, [key, value]) =>
      (key === name || key.startsWith(`${name}{`)) && key.includes(label) ? total + value : total,
    0,
  );

/** Sessions that a replica of the device-proxy owns. Rejects when it does not answer. */
export const sessionsAt = async (url: string): Promise<number> =>
  sum(await scrape(url), 'lanyard_device_proxy_sessions');
