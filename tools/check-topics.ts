/** The contracts name the writers and readers of each topic: the sources of an app name exactly its topics. */
import * as contracts from '@lanyard/contracts';
import { conclude, namesIn, projectFiles } from './lanyard/project-files.ts';
import { apps } from './lanyard/service-processes.ts';

const problems = apps.flatMap((app) => {
  const used = namesIn(projectFiles(`apps/${app}/src/**/*.ts`), /\b([A-Z]\w+)\b/g);
  // The audit trail writes this topic.
  if (used.has('AuditTrail')) used.add('DeviceEvents');
  const own = contracts.topicsOf(app);
  return Object.entries(contracts).flatMap(([constant, topic]) => {
    const known = contracts.topics.find((one) => one === topic);
    if (!known || own.includes(known) === used.has(constant)) return [];
    return used.has(constant)
      ? [`${known.name}: the contract does not name ${app}, whose sources do`]
      : [`${known.name}: the contract names ${app}, whose sources do not`];
  });
});
conclude(problems);
