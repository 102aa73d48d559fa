/** Shell completion, written from the registry of commands; nothing is asked of Spillway while somebody types. */

import { type Command, command, UsageError } from '../command.ts'
import { bashCompletion, fishCompletion, zshCompletion } from '../completion.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

/** The list it writes of holds this command too, so it is asked for late. */
export const completionCommands = (all: () => readonly Command[]): readonly Command[] => [
  command({
    name: 'completion',
    says: 'Print the script by which a shell completes commands, flags and values.',
    takes: '<bash|zsh|fish>',
    offers: Object.keys(scripts),
    flags: {},
    more: [
      '  source <(spillway completion bash)                                   in ~/.bashrc',
      '  source <(spillway completion zsh)                                    in ~/.zshrc',
      '  spillway completion fish > ~/.config/fish/completions/spillway.fish',
    ].join('\n'),
    async run(terminal, _given, [shell = '']) {
      const script = Object.hasOwn(scripts, shell) ? scripts[shell as keyof typeof scripts] : undefined
      if (!script) throw new UsageError(`say the shell: ${Object.keys(scripts).join(', ')}`)
      terminal.out(script(all()))
      return 0
    },
  }),
]
