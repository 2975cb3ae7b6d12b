import { type Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../errors.js';

/** The words that may follow on each command: its subcommands and its long options. */
const wordsOf = (command: Command): string[] => [
  ...command.commands.map((each) => each.name()),
  ...command.options.map(({ long }: Option) => long ?? '').filter((long) => long !== ''),
];

const everywhere = (program: Command): string[] => program.options.map(({ long }) => long ?? '');

const bash = (program: Command): string => {
  const cases = program.commands.map(
    (each) => `    ${each.name()}) words="${[...wordsOf(each), ...everywhere(program)].join(' ')}" ;;`,
  );
  return `_lanyard() {
  local words="${wordsOf(program).join(' ')}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _lanyard lanyard`;
};

const zsh = (program: Command): string => `#compdef lanyard
autoload -U +X bashcompinit && bashcompinit
${bash(program)}`;

const quoted = (text: string): string => `'${text.replace(/[\\']/g, (c) => `\\${c}`)}'`;

const fish = (program: Command): string =>
  program.commands
    .flatMap((each) => {
      const inside = `-n '__fish_seen_subcommand_from ${each.name()}'`;
      return [
        `complete -c lanyard -f -n __fish_use_subcommand -a ${each.name()} -d ${quoted(each.description())}`,
        ...each.commands.map((sub) => `complete -c lanyard ${inside} -a ${sub.name()} -d ${quoted(sub.description())}`),
        ...each.options.map(
          ({ long, description }) => `complete -c lanyard ${inside} -l ${long?.slice(2)} -d ${quoted(description)}`,
        ),
      ];
    })
    .concat(
      program.options.map(
        ({ long, description }) => `complete -c lanyard -l ${long?.slice(2)} -d ${quoted(description)}`,
      ),
    )
    .join('\n');

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
      if (!script) throw new UsageError(`There is no completion for "${shell}": bash, zsh or fish.`);
      return cli.output(command).line(script(program));
    });
};
