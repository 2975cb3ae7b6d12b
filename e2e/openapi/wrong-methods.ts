import { type Document, operationsOf } from './document.ts';

type Ask = (method: string, path: string) => Promise<{ status: number; allow: string | null; text: string }>;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Fills path parameters with any value: the method is checked before an id is looked up. */
const example = (path: string): string =>
  path.replace(/\{(object|instance|resource|resourceInstance)\}/g, '1').replace(/\{\w+\}/g, '0'.repeat(32));

/** `/v3/devices/export` also matches `/v3/devices/{id}`. */
const isAt = (template: string, path: string): boolean =>
  new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(example(path));

/** Every path that, for a method that it does not have, does not answer with 405 and its methods. */
export const wrongMethodsTaken = async (document: Document, ask: Ask): Promise<string[]> => {
  const problems: string[] = [];
  for (const path of Object.keys(document.paths)) {
    const own = operationsOf(document).flatMap((one) => (isAt(one.path, path) ? one.method : []));
    for (const method of methods.filter((one) => !own.includes(one))) {
      const { status, allow, text } = await ask(method, example(path));
      const allowed = allow?.split(', ') ?? [];
      const token = path.startsWith('/v2/') ? text === 'METHOD_NOT_ALLOWED' : text.includes('"method_not_supported"');
      const isRight = status === 405 && token && !allowed.includes(method) && own.every((one) => allowed.includes(one));
      if (!isRight) problems.push(`${method} ${path}: ${status}, Allow: ${allow ?? 'none'}, ${text.slice(0, 100)}`);
    }
  }
  return problems;
};
