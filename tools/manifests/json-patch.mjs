/** RFC 6902 as far as kustomizations here use it: add, replace, remove. */

/** @typedef {Record<string, unknown>} Json */
/** @typedef {{ op: string, path: string, value?: unknown }} Operation */

/** @param {string} token */
const unescape = (token) => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** @param {unknown} parent @param {string} key @param {string} path @returns {unknown} */
const child = (parent, key, path) => {
  const value = Array.isArray(parent) ? parent[Number(key)] : /** @type {Json} */ (parent)?.[key];
  if (value === undefined) throw new Error(`${path}: there is no ${key}`);
  return value;
};

/** @param {unknown[]} list @param {string} key @param {Operation} operation */
const patchList = (list, key, { op, path, value }) => {
  const index = key === '-' ? list.length : Number(key);
  if (!Number.isInteger(index) || index > list.length - (op === 'add' ? 0 : 1))
    throw new Error(`${path}: the list ends before`);
  if (op === 'add') list.splice(index, 0, value);
  else if (op === 'replace') list[index] = value;
  else list.splice(index, 1);
};

/** @param {Json} object @param {string} key @param {Operation} operation */
const patchObject = (object, key, { op, path, value }) => {
  if (op !== 'add' && !(key in object)) throw new Error(`${path}: there is nothing to ${op}`);
  if (op === 'remove') delete object[key];
  else object[key] = value;
};

/** Changes `document` in place; throws when a path leads nowhere. @param {Json} document @param {Operation[]} operations */
export const applyPatch = (document, operations) => {
  for (const operation of operations) {
    const { op, path } = operation;
    if (!['add', 'replace', 'remove'].includes(op)) throw new Error(`${path}: ${op} is not supported`);
    const keys = path.split('/').slice(1).map(unescape);
    const last = keys.pop() ?? '';
    const parent = keys.reduce((at, key) => child(at, key, path), /** @type {unknown} */ (document));
    if (Array.isArray(parent)) patchList(parent, last, operation);
    else patchObject(/** @type {Json} */ (parent), last, operation);
  }
};
