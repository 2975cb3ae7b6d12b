import { serviceParts } from '@lanyard/service';
import { assemble } from './assembly.js';
import type { DispatcherConfig } from './config.js';
import { openEngines } from './engines.js';

/** The command `reencrypt`: every callback is sealed with the first of ENCRYPTION_KEY, in PostgreSQL and in Redis. */
export const reencrypt = async (config: DispatcherConfig): Promise<void> => {
  const parts = serviceParts(config);
  const engines = await openEngines(config, parts);
  const { store, channels, bus } = assemble(config, parts, engines);
  try {
    let [resealed, seen] = [0, 0];
    for await (const page of store.pages())
      for (const { keyId } of page) {
        seen++;
        if (await channels.reseal(keyId)) resealed++;
      }
    parts.logger.info({ seen, resealed }, 'callbacks re-encrypted');
  } finally {
    bus.stop();
    await engines.close();
  }
};
