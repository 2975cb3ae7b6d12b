/** docs/cli.md: every command with its arguments and options. */
import { join } from 'node:path';
import { root } from '../lanyard/project.ts';

interface Argument {
  name(): string;
  description: string;
  required: boolean;
}

interface Option {
  flags: string;
  description: string;
  defaultValue?: unknown;
  argChoices?: string[];
  long?: string;
}

/** The part of a `commander` Command that the page needs. */
interface Command {
  name(): string;
  description(): string;
  commands: Command[];
  options: Option[];
  registeredArguments: Argument[];
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const describe = ({ description, argChoices, defaultValue, flags }: Option) => {
  const choices = argChoices ? ` (${argChoices.join(', ')})` : '';
  const isShown = defaultValue !== undefined && typeof defaultValue !== 'boolean' && !flags.startsWith('--no-');
  return cell(`${description}${choices}${isShown ? `; default ${String(defaultValue)}` : ''}`);
};

const table = (title: string, rows: [string, string][]) =>
  rows.length === 0
    ? ''
    : `\n| ${title} | |\n| --- | --- |\n${rows.map(([name, text]) => `| \`${name.replaceAll('|', '\\|')}\` | ${text} |`).join('\n')}\n`;

const usage = (path: string, { registeredArguments, options }: Command) => {
  const names = registeredArguments.map((each) => (each.required ? ` <${each.name()}>` : ` [${each.name()}]`));
  return `${path}${names.join('')}${options.length > 0 ? ' [options]' : ''}`;
};

const section = (path: string, command: Command): string => {
  const own = `${path} ${command.name()}`;
  const rows = command.options.map((option): [string, string] => [option.flags, describe(option)]);
  const words = command.registeredArguments.map((each): [string, string] => [each.name(), cell(each.description)]);
  const level = path.includes(' ') ? '###' : '##';
  const text = `\n${level} ${own}\n\n${command.description()}.\n\n\`\`\`text\n${usage(own, command)}\n\`\`\`\n`;
  return (
    text + table('Argument', words) + table('Option', rows) + command.commands.map((c) => section(own, c)).join('')
  );
};

export const cliPage = async () => {
  const at = (file: string) => import(join(root, 'apps/cli/dist', file));
  const { Cli } = await at('cli.js');
  const { createProgram, exitCodeHelp } = await at('program.js');
  const program: Command = createProgram(new Cli());
  const options = program.options.map((option): [string, string] => [option.flags, describe(option)]);
  return `# Command line

Generated from the commands of [apps/cli](../apps/cli) by \`npm run docs\`; CI checks it.

Every argument that names a device, group, key, package or campaign takes a name or an id. These options apply to all commands:
${table('Option', options)}
\`\`\`text
${exitCodeHelp.trim()}
\`\`\`
${program.commands.map((command) => section('lanyard', command)).join('')}`;
};
