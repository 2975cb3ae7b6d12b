import { join } from 'node:path';
import { root } from '../lanyard/project.ts';
import { markdownTable } from '../lanyard/tables.ts';
import { everywhere, ofApps, ofCloseCauses, ofDevices, ofOutcomes, type Advice } from './error-advice.ts';

interface Shown {
  status: number;
  code: string;
  token: string;
  message: string;
  fields: { name: string; message: string }[];
}

type ErrorClass = new (...args: any[]) => Shown;

interface Outcome {
  status: number;
  error?: string;
  note?: string;
}

/** A module of the last build. */
export const built = (path: string): Promise<Record<string, any>> => import(join(root, path));

/** The classes whose instances clients may see. */
export const errorClasses = (module: Record<string, unknown>) =>
  Object.entries(module).filter(([name, value]) => name !== 'ServiceError' && typeof value === 'function') as [
    string,
    ErrorClass,
  ][];

const mark = (word: string) => `\`${word}\``;

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** The field that is not valid, with the reason, if the message says only "see fields". */
const fieldProblem = (name: string, { message, fields }: Shown, of?: string): string => {
  const [field] = fields.filter((each) => each.name !== '…');
  if (!field || !message.endsWith(': see fields.')) return '';
  if (of === undefined) throw new Error(`${name}: tools/docs/error-advice.yaml has no "of" for ${field.name}`);
  const reason = field.message === '…' ? '' : `: ${lowerFirst(field.message)}`;
  return `${mark(field.name)} of ${of}${reason}. `;
};

const errorTable = (module: Record<string, unknown>, advice: Record<string, Advice>) => {
  const rows = errorClasses(module).flatMap(([name, ErrorClass]) => {
    const known = advice[name];
    if (!known) throw new Error(`${name}: tools/docs/error-advice.yaml has no entry`);
    return (known.samples ?? [[]]).map((sample, at) => {
      const error = new ErrorClass(...sample);
      const { status, code, token, message } = error;
      const advice = typeof known.advice === 'string' ? known.advice : (known.advice[at] ?? '');
      const todo = `${fieldProblem(name, error, known.of)}${advice}`;
      return {
        status,
        token,
        cells: [status, mark(token), mark(code), message.replace(/[|<]/g, '\\$&'), todo],
      };
    });
  });
  rows.sort((a, b) => a.status - b.status || (a.token < b.token ? -1 : a.token > b.token ? 1 : 0));
  return markdownTable(
    ['Status', 'Token', 'Type', 'Message', 'What to do'],
    rows.map(({ cells }) => cells),
  );
};

export const namedOutcomes = (outcomes: Record<string, any>) =>
  Object.entries(outcomes)
    .filter(([, value]) => typeof value === 'object' && typeof value.error === 'string')
    .map(([name, value]): Outcome & { name: string; error: string } => ({ ...value, name }));

/** CoAP codes of the classes 4 and 5. */
export const errorCodes = ({ Code, formatCode }: Record<string, any>): string[] =>
  Object.values<number>(Code)
    .filter((code) => code >> 5 >= 4)
    .map((code) => formatCode(code));

const outcomeTable = (outcomes: Record<string, any>, codes: string[]) => {
  const given = namedOutcomes(outcomes).map(({ note: cause = '', ...outcome }) => ({ ...outcome, cause }));
  const outcomeOf = (code = ''): { status: number; error: string } =>
    outcomes.outcomeOf({ code, payload: Buffer.alloc(0) });
  const byWord = Map.groupBy(codes, (code) => `${outcomeOf(code).status} ${outcomeOf(code).error}`);
  const answered = [...byWord.values()].map((all) => ({
    ...outcomeOf(all[0]),
    name: '',
    cause: `The device answered ${all.join(', ')}.`,
  }));
  return markdownTable(
    ['Status', '`error`', 'Why', 'What to do'],
    [...given, ...answered].map(({ name, status, error, cause }) => {
      const advice = ofOutcomes[error];
      const todo = typeof advice === 'string' ? advice : advice?.[name];
      if (!todo) throw new Error(`${error} ${name}: tools/docs/error-advice.yaml has no entry`);
      return [status, mark(error), cause, todo];
    }),
  );
};

/** Every error of every service, created by the code of the service. */
export const errorsPage = async () => {
  const service = await built('libs/service/dist/errors/service-error.js');
  const outcomes = await built('apps/device-proxy/dist/commands/outcome.js');
  const { closeCodes } = await built('apps/dispatcher/dist/replicas/close-codes.js');
  const codes = errorCodes(await built('libs/coap/dist/index.js'));
  const apps = await Promise.all(
    Object.entries(ofApps).map(async ([app, advice]) => {
      const module = await built(`apps/${app}/dist/errors.js`);
      return `## ${app}\n\n${errorTable(module, advice)}`;
    }),
  );
  return [
    '# Errors',
    'Generated from the code and `tools/docs/error-advice.yaml` by `npm run docs`; CI checks it.',
    'Paths below `/v2/` answer the bare **token** as text, or the error object when the request says `Accept: application/json`. All other paths answer the error object: `object`, `code` (the status), `type`, `message`, `request_id` and, where it helps, `fields`. Distinguish errors by status and token or type, never by the message. `…` stands for parts that vary. 429, 502 and 503 come with `Retry-After`, except where a queue of commands is full or a device has its maximum of subscribed paths.',
    '## Every service',
    errorTable(service, everywhere),
    ...apps,
    '## Outcomes of commands',
    'In `async-responses` on a channel and in the history of commands. A command has exactly one outcome; 200 is success.',
    outcomeTable(outcomes, codes),
    '## Close codes of WebSockets',
    'A handshake on another path is answered with 404, and with 503 while the service is stopping. 1006 is never sent: it means that the connection was lost, so reconnect.',
    markdownTable(
      ['Code', 'Reason', 'What to do'],
      Object.entries<number>(closeCodes).map(([cause, code]) => [code, cause, ofCloseCauses[cause] ?? '']),
    ),
    '## Answers to devices',
    markdownTable(
      ['CoAP code', 'When', 'What to do'],
      Object.entries(ofDevices)
        .sort()
        .map(([code, cells]) => [code, ...cells]),
    ),
    '',
  ].join('\n\n');
};
