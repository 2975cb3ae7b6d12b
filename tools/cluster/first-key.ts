/** The first administrator key of an installation. */
import { writeFileSync } from 'node:fs';
import { waitUntil } from '../lanyard/probes.ts';
import { namespace } from './overlay.ts';
import type { Kubectl } from './kubectl.ts';

const read = "fs.readFileSync('/run/lanyard/admin.key', 'utf8')";

/** The pod that started first has the key (docs/kubernetes.md). Writes it to the file. */
export const fetchFirstKey = (kubectl: Kubectl, file: string) =>
  waitUntil('the first administrator key', async () => {
    const pods = await kubectl.list('pods', '-n', namespace, '-l', 'app.kubernetes.io/name=gateway');
    for (const { metadata } of pods) {
      const key = await kubectl.run(['-n', namespace, 'exec', metadata.name, '--', 'node', '-p', read]).catch(() => '');
      if (key.trim() === '') continue;
      writeFileSync(file, key, { mode: 0o600 });
      return true;
    }
    return false;
  });
