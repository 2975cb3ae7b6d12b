/** The contracts say who writes and who reads a topic: sources of an app name these topics, and no others. */
import * as contracts from '@lanyard/contracts';
import { namesIn } from './lanyard/names-in.ts';
import { apps } from './lanyard/service-processes.ts';
import type { Topic } from '@lanyard/contracts';

let wrong = 0;
for (const app of apps) {
  const used = namesIn([`apps/${app}/src/*.ts`], /\b([A-Z]\w+)\b/g);
  for (const [constant, topic] of Object.entries(contracts)) {
    if (!contracts.topics.some((one) => one === topic)) continue;
    const { name, producers, consumers } = topic as Topic<unknown>;
    const isDeclared = [...producers, ...consumers].some((service) => service === app);
    if (isDeclared === used.has(constant)) continue;
    console.error(
      `${name}: the contract ${isDeclared ? 'names' : 'does not name'} ${app}, whose sources ${isDeclared ? 'do not' : 'do'}`,
    );
    wrong++;
  }
}
process.exitCode = wrong > 0 ? 1 : 0;
