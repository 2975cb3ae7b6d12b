/** `npm run tour [-- OPTIONS]`: runs the commands of docs/tour.md one by one against the running system. */
import { command } from './lanyard/command-line.ts';
import { followTour } from './tour/tour.ts';

const options = {
  'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
  'coaps-url': { type: 'string', default: 'coaps://127.0.0.1:5684' },
  'key-file': { type: 'string', default: '.lanyard/admin.key' },
} as const;

const usage = `npm run tour -- ${Object.entries(options)
  .map(([name, option]) => `[--${name} ${option.default}]`)
  .join(' ')}`;

await command({ usage, options }, async ({ values }) => {
  await followTour({ baseUrl: values['base-url'], coapsUrl: values['coaps-url'], keyFile: values['key-file'] });
});
