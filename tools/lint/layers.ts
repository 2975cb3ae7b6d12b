import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import type { JSSyntaxElement, Rule } from 'eslint';

/**
 * The layers of a project as its README lists them, top first, each with its names: folders of `src`, and files directly in
 * `src` without extension. `undefined` without the heading; empty when nothing readable follows it.
 */
export const layersOf = (readme: string): string[][] | undefined => {
  if (!/^## Layers$/m.test(readme)) return undefined;
  const [, list] = /^## Layers\n(?:(?!#|```).*\n)*```\w*\n([^]*?)^```$/m.exec(readme) ?? [];
  return (list?.split('->') ?? []).map((layer) => layer.split(',').map((name) => name.trim()));
};

/** @param path Below `src`, with an extension or without. */
const nameOf = (path: string) =>
  path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.[jt]sx?$/, '');

const placeOf = (filename: string) => {
  const [, project, path] = /^(.*\/(?:apps|libs)\/[^/]+)\/src\/(.+)$/.exec(filename.replaceAll(sep, '/')) ?? [];
  return project && path ? { project, path } : undefined;
};

/** The layers that apply to a project. */
const readLayers = (project: string) => {
  const readme = join(project, 'README.md');
  return existsSync(readme) ? layersOf(readFileSync(readme, 'utf8')) : undefined;
};

/**
 * A folder of `src` imports only from layers below its own. A file directly in `src` that the list does not name is above
 * all folders. Type imports count too.
 */
export const layers: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      unlisted: "The list under '## Layers' in the README does not name the folder '{{ from }}'.",
      stale: "The list under '## Layers' in the README names '{{ name }}', which src does not have.",
      upward: "'{{ from }}' may not import from '{{ to }}': the README does not list it in a layer below (## Layers).",
    },
  },
  create(context) {
    const place = placeOf(context.filename);
    const list = place && readLayers(place.project);
    if (!place || !list) return {};
    const from = nameOf(place.path);
    const isFolder = place.path.includes('/');
    const layerOf = (name: string) => list.findIndex((names) => names.includes(name));
    const own = layerOf(from);
    const isEntry = /^(main|index)\.tsx?$/.test(place.path);
    const exists = (name: string) =>
      [name, `${name}.ts`, `${name}.tsx`].some((path) => existsSync(join(place.project, 'src', path)));

    const check = ({ source }: { source?: (JSSyntaxElement & { value?: unknown }) | null }) => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string' || !source.value.startsWith('.')) return;
      const target = posix.join(dirname(place.path), source.value);
      const to = nameOf(target);
      const stays = isFolder ? to === from : !target.includes('/');
      if (target.startsWith('..') || stays) return;
      const layer = layerOf(to);
      const below = layer > own || (!isFolder && own < 0);
      if (!below) context.report({ node: source, messageId: 'upward', data: { from, to } });
    };

    return {
      Program: (node) => {
        if (isFolder && own < 0) context.report({ node, messageId: 'unlisted', data: { from } });
        if (!isEntry) return;
        for (const name of list.flat().filter((name) => !exists(name)))
          context.report({ node, messageId: 'stale', data: { name } });
      },
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};
