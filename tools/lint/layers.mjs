import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';

/**
 * The layers of a project as its README gives them, top first, each with its names: folders of `src`, and files of `src`
 * itself without extension. `undefined` without the heading; none when nothing readable follows it.
 * @param {string} readme @returns {string[][] | undefined}
 */
export const layersOf = (readme) => {
  if (!/^## Layers$/m.test(readme)) return undefined;
  const [, list] = /^## Layers\n(?:(?!#|```).*\n)*```\w*\n([^]*?)^```$/m.exec(readme) ?? [];
  return (list?.split('->') ?? []).map((layer) => layer.split(',').map((name) => name.trim()));
};

/** @param {string} path Below `src`, with an extension or without. */
const nameOf = (path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.[jt]s$/, ''));

/** @param {string} filename */
const placeOf = (filename) => {
  const [, project, path] = /^(.*\/(?:apps|libs)\/[^/]+)\/src\/(.+)$/.exec(filename.replaceAll(sep, '/')) ?? [];
  return project && path ? { project, path } : undefined;
};

/** The layers that hold for a project. @param {string} project */
const readLayers = (project) => {
  const readme = join(project, 'README.md');
  return existsSync(readme) ? layersOf(readFileSync(readme, 'utf8')) : undefined;
};

/**
 * A folder of `src` imports only from layers below its own. A file of `src` itself that the list does not name stands above
 * all folders. An import of a type is an import.
 * @type {import('eslint').Rule.RuleModule}
 */
export const layers = {
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
    const layerOf = (/** @type {string} */ name) => list.findIndex((names) => names.includes(name));
    const own = layerOf(from);
    const isEntry = /^(main|index)\.ts$/.test(place.path);
    const exists = (/** @type {string} */ name) =>
      [name, `${name}.ts`].some((path) => existsSync(join(place.project, 'src', path)));

    /** @param {{ source?: (import('eslint').JSSyntaxElement & { value?: unknown }) | null }} node */
    const check = ({ source }) => {
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
