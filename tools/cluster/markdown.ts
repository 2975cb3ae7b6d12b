/** A table as the documents contain it. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]) => {
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};
