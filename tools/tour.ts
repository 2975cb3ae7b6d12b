/** `npm run tour [-- OPTIONS]`: follows docs/tour.md, command by command, against the running system. */
import { readCommandLine } from './lanyard/command-line.ts';
import { run } from './lanyard/project.ts';
import { followTour } from './tour/tour.ts';

const options = {
  'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
  'coaps-url': { type: 'string', default: 'coaps://127.0.0.1:5684' },
  'key-file': { type: 'string', default: '.lanyard/admin.key' },
} as const;

const usage = `npm run tour -- ${Object.entries(options)
  .map(([name, option]) => `[--${name} ${option.default}]`)
  .join(' ')}`;

await run(async () => {
  const { values } = readCommandLine(usage, options);
  await followTour({ baseUrl: values['base-url'], coapsUrl: values['coaps-url'], keyFile: values['key-file'] });
});
