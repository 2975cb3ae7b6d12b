/** Reads `[{ path, text }]` and writes, for each text, the rules of the project's lint that it breaks. */
import { ESLint } from 'eslint';
import { text } from 'node:stream/consumers';

const eslint = new ESLint();
const planted: { path: string; text: string }[] = JSON.parse(await text(process.stdin));
const broken = [];
for (const { path, text } of planted) {
  const [result] = await eslint.lintText(text, { filePath: path });
  broken.push(result?.messages.map(({ ruleId, message }) => ruleId ?? message));
}
process.stdout.write(JSON.stringify(broken));
