/**
 * tools/docs/error-advice.yaml, from which docs/errors.md is made, knows every error that the code makes and no other:
 * classes, tokens, outcomes of commands, close codes, and answers to devices. check-docs compares the page itself.
 */
import { everywhere, ofApps, ofCloseCauses, ofDevices, ofOutcomes } from './docs/error-advice.ts';
import { built, errorClasses, errorCodes, namedOutcomes } from './docs/errors-page.ts';
import { conclude, isTest, projectFiles, textOf } from './lanyard/project-files.ts';
import { apps } from './lanyard/service-processes.ts';

const problems: string[] = [];

const compare = (what: string, made: Iterable<string>, documented: Iterable<string>) => {
  const inCode = new Set(made);
  const inPage = new Set(documented);
  for (const name of inCode)
    if (!inPage.has(name)) problems.push(`${what} ${name}: the code makes it, the advice lacks it`);
  for (const name of inPage)
    if (!inCode.has(name)) problems.push(`${what} ${name}: the advice has it, nothing makes it`);
};

const sources = (folder: string): string[] => projectFiles(`${folder}/**/*.ts`).filter((path) => !isTest(path));

const textsOf = (paths: string[]) => paths.map(textOf).join('\n');

const found = (text: string, form: RegExp) => [...text.matchAll(form)].map(([, name = '']) => name);

const declared = /^export class (\w+) extends/gm;
const bases = Object.keys({
  ...(await built('libs/service/dist/errors/service-error.js')),
  ...(await built('libs/service/dist/errors/shared-errors.js')),
}).join('|');

compare(
  'libs/service:',
  found(textOf('libs/service/src/errors/service-error.ts'), declared).filter((name) => name !== 'ServiceError'),
  Object.keys(everywhere),
);
compare('app', apps, Object.keys(ofApps));

/** Upper-case words in the sources that are not tokens of errors. */
const otherWords = /^(FAIL_\w+|UND_ERR_\w+|ADDRESS_FORBIDDEN|ALREADY_DELETED|WEB_SOCKET|LONG_POLLING|WHEN_REQUIRED)$/;
const page = textOf('docs/errors.md');
const variables = textOf('docs/configuration.md');

for (const app of apps) {
  const errors = `apps/${app}/src/errors.ts`;
  const all = sources(`apps/${app}/src`);
  const advice = ofApps[app] ?? {};
  const classes = found(textOf(errors), declared);
  compare(`${app}:`, classes, Object.keys(advice));
  compare(
    `${app}, of the build (build it again?):`,
    errorClasses(await built(`apps/${app}/dist/errors.js`)).map(([name]) => name),
    classes,
  );
  const text = textsOf(all.filter((path) => !path.endsWith('/config.ts')));
  const elsewhere = textsOf(all.filter((path) => path !== errors));
  for (const name of found(elsewhere, new RegExp(`class (\\w+) extends (?:${bases})\\b`, 'g')))
    problems.push(`${app}: ${name} belongs into errors.ts`);
  for (const word of found(text, /'([A-Z]{2,}(?:_[A-Z]+)+)'/g))
    if (!otherWords.test(word) && !page.includes(`\`${word}\``) && !variables.includes(`\`${word}\``))
      problems.push(`${app}: ${word} is not in docs/errors.md`);
  for (const [name, { samples = [] }] of Object.entries(advice))
    for (const word of samples.flat())
      if (typeof word === 'string' && /^[A-Z]+(_[A-Z]+)+$/.test(word) && !text.includes(`'${word}'`))
        problems.push(`${app}: ${name} never has the token ${word}`);
}

const coap = await built('libs/coap/dist/index.js');
const outcomes = await built('apps/device-proxy/dist/commands/outcome.js');
const answered = errorCodes(coap).map((code) => outcomes.outcomeOf({ code, payload: Buffer.alloc(0) }).error);
compare('outcome', [...namedOutcomes(outcomes).map(({ error }) => error), ...answered], Object.keys(ofOutcomes));

const { closeCodes } = await built('apps/dispatcher/dist/replicas/close-codes.js');
compare('close cause', Object.keys(closeCodes), Object.keys(ofCloseCauses));

const deviceSide = textsOf([
  ...sources('apps/device-proxy/src/uplink'),
  ...sources('apps/device-proxy/src/transport'),
  ...['answering', 'request-bodies', 'answer-bodies', 'answer-sender'].map(
    (name) => `libs/coap/src/exchange/${name}.ts`,
  ),
]);
const named = found(deviceSide, /\bCode\.(\w+)/g).map((name) => coap.formatCode(coap.Code[name]));
compare(
  'answer to devices',
  [...found(deviceSide, /'([45]\.\d\d)'/g), ...named.filter((code) => /^[45]/.test(code))],
  Object.keys(ofDevices),
);
conclude(problems);
