/** Commands of docs/kubernetes.md: they list all services, and name the namespace of the objects that they read or change. */
import { type App, apps } from '../lanyard/service-processes.ts';

/** Each list of services, and the services that another command of the same procedure names. */
const lists: [list: RegExp, elsewhere: App[]][] = [
  [/for app in ([^;]+); do$/m, []],
  [/name notin \(([^)]+)\)/, ['event-log']],
  [/for name in ([^;]+); do kubectl -n lanyard rollout undo/, ['device-proxy', 'event-log']],
];

/** Commands that need a namespace but name none. Those that apply manifests need none, because manifests name theirs. */
const withoutNamespace = /kubectl (?!-n |apply |diff |create namespace ).*/g;

const missingServices = (page: string): string[] =>
  lists.flatMap(([list, elsewhere]) => {
    const [, names = ''] = list.exec(page) ?? [];
    const listed = names.split(/[ ,]+/);
    return apps
      .filter((app) => !elsewhere.includes(app) && !listed.includes(app))
      .map((app) => `docs/kubernetes.md: ${app} is missing from the list that ${String(list)} finds`);
  });

/** @param page text of docs/kubernetes.md */
export const commandProblems = (page: string): string[] => [
  ...missingServices(page),
  ...[...page.matchAll(withoutNamespace)].map(([command]) => `docs/kubernetes.md: no namespace in ${command}`),
];
