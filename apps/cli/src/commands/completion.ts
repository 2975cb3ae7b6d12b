import type { Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../errors.js';

/** A command, and the words that lead to it. */
interface Place {
  path: string;
  command: Command;
}

const placesOf = (command: Command, path: string): Place[] => [
  { path, command },
  ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`)),
];

/** The options of the command and those of `list`, the default wherever it is a subcommand. */
const optionsOf = (command: Command): Option[] =>
  [command, ...command.commands.filter((each) => each.name() === 'list')].flatMap(({ options }) => options);

const longOf = ({ long }: Option): string[] => (long ? [long] : []);

/** The words that may follow a command: its subcommands and options, and the options of all commands. */
const wordsOf = (command: Command, program: Command): string =>
  [
    ...command.commands.map((each) => each.name()),
    ...optionsOf(command).flatMap(longOf),
    ...(command === program ? [] : program.options.flatMap(longOf)),
  ].join(' ');

const bash = (program: Command): string => {
  const places = placesOf(program, 'lanyard');
  const paths = places.slice(1).map(({ path }) => `"${path}"`);
  const cases = places.map(({ path, command }) => `    "${path}") words="${wordsOf(command, program)}" ;;`);
  return `_lanyard() {
  local at=lanyard word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${paths.join('|')}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _lanyard lanyard`;
};

const zsh = (program: Command): string => `#compdef lanyard
autoload -U +X bashcompinit && bashcompinit
${bash(program)}`;

const quoted = (text: string): string => `'${text.replace(/[\\']/g, (c) => `\\${c}`)}'`;

const fishOption = (condition: string, { long, description }: Option): string =>
  `complete -c lanyard ${condition}-l ${long?.slice(2)} -d ${quoted(description)}`;

const fishCommand = (each: Command): string[] => {
  const isSeen = (name: string): string => `__fish_seen_subcommand_from ${name}`;
  const inside = `-n '${isSeen(each.name())}' `;
  return [
    `complete -c lanyard -f -n __fish_use_subcommand -a ${each.name()} -d ${quoted(each.description())}`,
    ...each.commands.map((sub) => `complete -c lanyard ${inside}-a ${sub.name()} -d ${quoted(sub.description())}`),
    ...optionsOf(each).map((option) => fishOption(inside, option)),
    ...each.commands.flatMap((sub) =>
      sub.options.map((option) => fishOption(`-n '${isSeen(each.name())}; and ${isSeen(sub.name())}' `, option)),
    ),
  ];
};

const fish = (program: Command): string =>
  [...program.commands.flatMap(fishCommand), ...program.options.map((option) => fishOption('', option))].join('\n');

const shells: Record<string, (program: Command) => string> = { bash, zsh, fish };

export const addCompletion = (program: Command, cli: Cli): void => {
  program
    .command('completion')
    .description('Print the completion script of a shell')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      '\n  bash  source <(lanyard completion bash)\n  zsh   source <(lanyard completion zsh)\n' +
        '  fish  lanyard completion fish > ~/.config/fish/completions/lanyard.fish',
    )
    .action((shell: string, _, command: Command) => {
      const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
      if (!script) throw new UsageError(`There is no completion for "${shell}": use bash, zsh or fish.`);
      return cli.output(command).line(script(program));
    });
};
