/** Looks at the service of this machine, running or stopped, and says what is wrong and what to do. */
import type { Finding, Level } from '../../doctor/index.ts'
import { command } from '../command.ts'
import { paint, wrap } from '../table.ts'

const marks = { fine: ['✔', 'green'], doubtful: ['!', 'yellow'], wrong: ['✖', 'red'] } as const satisfies Record<
  Level,
  readonly [string, string]
>

export const doctorCommands = [
  command({
    name: 'doctor',
    says: 'Look for what is wrong: settings, disk, key, databases, clock, port and destinations; running or stopped.',
    flags: {
      json: { type: 'boolean', says: 'Print the findings as JSON.' },
      quiet: { type: 'boolean', short: 'q', says: 'Only what is doubtful or wrong.' },
    },
    more: [
      'Run it as the user of the service and with its SPILLWAY_* settings. It changes nothing and needs no credentials.',
      'The exit code is 1 when something is wrong. As JSON each finding has check, level (fine, doubtful or wrong), what,',
      'where, and todo.',
    ].join('\n'),
    async run(terminal, given) {
      // Loaded when it is needed: it leads to most rooms.
      const { examine } = await import('../../doctor/index.ts')
      const findings: Finding[] = []
      for await (const finding of examine()) {
        findings.push(finding)
        if (given.json || (given.quiet && finding.level === 'fine')) continue
        const [mark, colour] = marks[finding.level]
        const said = `${finding.check}: ${finding.where}: ${finding.what}`
        terminal.out(`${paint(terminal, colour, mark)} ${wrap(terminal, said, 2)}`)
        if (finding.todo) terminal.out(`  ${wrap(terminal, `→ ${finding.todo}`, 4)}`)
      }
      const count = (level: Level) => findings.filter((finding) => finding.level === level).length
      if (given.json) terminal.out(JSON.stringify(findings, null, 2))
      else terminal.out(`\n${count('wrong')} wrong, ${count('doubtful')} doubtful, ${count('fine')} fine.`)
      return count('wrong') > 0 ? 1 : 0
    },
  }),
]
