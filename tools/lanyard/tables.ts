/** Columns of text, as wide as their widest cell; the first row is the head. */
export const textTable = (rows: readonly (readonly unknown[])[]) => {
  const cells = rows.map((row) => row.map(String));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return cells.map((row) => line(row).trimEnd()).join('\n');
};

/** A table as the documents contain it. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) => {
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};
