/** Which packages a service needs: those that its built code and its libraries import, and what these depend on. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

interface Package {
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const ownScope = '@lanyard/';

const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const readPackage = (folder: string): Package => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** What a file imports, statically or not; imports of types are gone from built files. */
const specifiersIn = (path: string): string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
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

const importsOf = (workspace: string): Set<string> => {
  const dist = join(workspace, 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  const specifiers = files.flatMap((file) => specifiersIn(join(dist, file)));
  return new Set(specifiers.filter((name) => !/^(\.|node:)/.test(name)).map(packageOf));
};

/** As Node looks for it. */
const findPackage = (root: string, name: string, from: string): string | undefined => {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return undefined;
};

/**
 * The libraries (`libs/kafka`) and package folders that one workspace needs at run time. An optional peer, such as the
 * driver of TypeORM, belongs to it where the project itself lists that package as a dependency.
 */
export const neededBy = (root: string, workspace: string): { libs: Set<string>; packages: Set<string> } => {
  const own = readPackage(root).dependencies ?? {};
  const libs = new Set<string>();
  const packages = new Set<string>();
  const addPackage = (name: string, from: string, optional: boolean = false): void => {
    const folder = findPackage(root, name, from);
    if (!folder && !optional) throw new Error(`${from} needs ${name}, which is not installed`);
    if (!folder || packages.has(folder)) return;
    packages.add(folder);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = readPackage(folder);
    for (const dependency of Object.keys(dependencies)) addPackage(dependency, folder);
    for (const peer of Object.keys(peerDependencies))
      if (!peerDependenciesMeta[peer]?.optional || peer in own) addPackage(peer, folder, true);
  };
  const addWorkspace = (current: string): void => {
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
