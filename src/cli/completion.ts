/** Completion scripts for shells, made from a list of commands: their words, their flags, and the values flags offer. */
import { type Command, type Flag, helpFlag } from './command.ts'

const flagsOf = (command: Command): readonly (readonly [name: string, flag: Flag])[] =>
  Object.entries({ ...command.flags, help: helpFlag })

/** The words that may stand first, and those that may follow each of them. */
function wordsOf(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, readonly string[]>([['', [...new Set(commands.map(({ name }) => first(name)))]]])
  for (const word of words.get('') ?? []) {
    const inner = commands
      .filter(({ name }) => name.startsWith(`${word} `))
      .map(({ name }) => name.slice(word.length + 1))
    if (inner.length > 0) words.set(word, inner)
  }
  return words
}

const first = (name: string): string => name.split(' ')[0] ?? ''

/** One function; the words before the cursor tell the command, the word just before it tells whether a value is due. */
export function bashCompletion(commands: readonly Command[]): string {
  const words = [...wordsOf(commands)].map(
    ([before, after]) => `    ${quote(before)}) offers=${quote(after.join(' '))} ;;`,
  )
  const values = commands.flatMap((command) =>
    flagsOf(command)
      .filter(([, flag]) => flag.type === 'string')
      .map(([name, { offers, short }]) => {
        const spelt = [`--${name}`, ...(short ? [`-${short}`] : [])]
          .map((flag) => quote(`${command.name} ${flag}`))
          .join('|')
        // No offers: whatever bash completes by itself, which is files.
        return `    ${spelt}) COMPREPLY=(${offers ? `$(compgen -W ${quote(offers.join(' '))} -- "$typed")` : ''}); return ;;`
      }),
  )
  const flags = commands.map(
    (command) =>
      `    ${quote(command.name)}) flags=${quote(
        flagsOf(command)
          .map(([name]) => `--${name}`)
          .join(' '),
      )} offers=${quote((command.offers ?? []).join(' '))} ;;`,
  )
  return `# Completion for bash: source <(spillway completion bash)
_spillway() {
  local typed="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" said='' offers='' flags='' at
  for ((at = 1; at < COMP_CWORD && at < 3; at++)); do
    [[ "\${COMP_WORDS[at]}" == -* ]] && break
    said="\${said:+$said }\${COMP_WORDS[at]}"
  done
  case "$said" in
${words.join('\n')}
  esac
  if [[ -n "$offers" ]]; then
    COMPREPLY=($(compgen -W "$offers" -- "$typed"))
    return
  fi
  # A command of one word is followed by words of its own.
  case "$said" in
    ${oneWordPattern(commands)}) said="\${said%% *}" ;;
  esac
  case "$said $before" in
${values.join('\n')}
  esac
  case "$said" in
${flags.join('\n')}
  esac
  local words=($said)
  if [[ "$typed" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$typed"))
  elif ((COMP_CWORD == \${#words[@]} + 1)); then
    COMPREPLY=($(compgen -W "$offers" -- "$typed"))
  fi
}
complete -o default -F _spillway spillway`
}

const oneWordPattern = (commands: readonly Command[]): string =>
  commands
    .filter(({ name }) => !name.includes(' '))
    .map(({ name }) => `${quote(`${name} `)}*`)
    .join('|')

/** zsh runs what was written for bash. */
export const zshCompletion = (commands: readonly Command[]): string =>
  `# Completion for zsh: source <(spillway completion zsh)
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashCompletion(commands)}`

/** A line for each word, flag and value, each with its sentence. */
export function fishCompletion(commands: readonly Command[]): string {
  const all = wordsOf(commands)
  const says = (name: string) => commands.find((command) => command.name === name)?.says ?? all.get(name)?.join(', ')
  const line = (condition: string, ...rest: string[]) =>
    ['complete -c spillway -n', quote(condition), ...rest].join(' ')
  // -f: where a word of ours is due, files are not offered beside it.
  const words = [...all].flatMap(([before, after]) =>
    after.map((word) =>
      line(`__spillway_said ${quote(before)}`, '-f', '-a', word, '-d', quote(says(`${before} ${word}`.trim()) ?? '')),
    ),
  )
  const flags = commands.flatMap((command) => [
    ...(command.offers
      ? [line(`__spillway_said ${quote(command.name)}`, '-f', '-a', quote(command.offers.join(' ')))]
      : []),
    ...flagsOf(command).map(([name, flag]) =>
      line(
        `__spillway_in ${quote(command.name)}`,
        ...['-l', name],
        ...(flag.short ? ['-s', flag.short] : []),
        ...(flag.type === 'boolean' ? [] : valueFlags(flag)),
        ...['-d', quote(flag.says)],
      ),
    ),
  ])
  return `# Completion for fish: spillway completion fish > ~/.config/fish/completions/spillway.fish
function __spillway_said
    set -l typed (commandline -opc)
    set -e typed[1]
    test "$typed" = "$argv[1]"
end
function __spillway_in
    set -l typed (commandline -opc)
    set -e typed[1]
    string match -q -- "$argv[1] *" "$typed "
end
${[...words, ...flags].join('\n')}`
}

const valueFlags = ({ offers }: Flag): string[] => (offers ? ['-x', '-a', quote(offers.join(' '))] : ['-r'])

/** In single quotes, as every shell reads them; one inside is closed, escaped and opened again. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
