/** Which packages a service needs: those that its built code and its libraries import, and what these depend on. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** @typedef {{ dependencies?: Record<string, string>, peerDependencies?: Record<string, string>, peerDependenciesMeta?: Record<string, { optional?: boolean }> }} Package */

const ownScope = '@lanyard/';

/** @param {string} specifier */
const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** @param {string} folder @returns {Package} */
const readPackage = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** What a file imports, statically or not; imports of types are gone from built files. @param {string} path */
const specifiersIn = (path) => {
  /** @type {string[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (specifier && ts.isStringLiteralLike(specifier)) found.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  visit(source);
  return found;
};

/** @param {string} workspace */
const importsOf = (workspace) => {
  const dist = join(workspace, 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  const specifiers = files.flatMap((file) => specifiersIn(join(dist, file)));
  return new Set(specifiers.filter((name) => !/^(\.|node:)/.test(name)).map(packageOf));
};

/** As Node looks for it. @param {string} root @param {string} name @param {string} from */
const findPackage = (root, name, from) => {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return undefined;
};

/**
 * The libraries (`libs/kafka`) and package folders that one workspace needs at run time. An optional peer, such as the
 * driver of TypeORM, belongs to it where the project itself lists that package as a dependency.
 * @param {string} root @param {string} workspace
 */
export const neededBy = (root, workspace) => {
  const own = readPackage(root).dependencies ?? {};
  /** @type {Set<string>} */
  const libs = new Set();
  /** @type {Set<string>} */
  const packages = new Set();
  /** @param {string} name @param {string} from @param {boolean} [optional] */
  const addPackage = (name, from, optional = false) => {
    const folder = findPackage(root, name, from);
    if (!folder && !optional) throw new Error(`${from} needs ${name}, which is not installed`);
    if (!folder || packages.has(folder)) return;
    packages.add(folder);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = readPackage(folder);
    for (const dependency of Object.keys(dependencies)) addPackage(dependency, folder);
    for (const peer of Object.keys(peerDependencies))
      if (!peerDependenciesMeta[peer]?.optional || peer in own) addPackage(peer, folder, true);
  };
  /** @param {string} current */
  const addWorkspace = (current) => {
    for (const name of importsOf(join(root, current))) {
      const lib = `libs/${name.slice(ownScope.length)}`;
      if (!name.startsWith(ownScope)) addPackage(name, join(root, current));
      else if (!libs.has(lib)) {
        libs.add(lib);
        addWorkspace(lib);
      }
    }
  };
  addWorkspace(workspace);
  return { libs, packages };
};
