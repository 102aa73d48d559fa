/**
 * Papers that are run. A page's fenced blocks are read in order: `sh` blocks are typed into one shell, blocks whose first line
 * names a file (`# rules.yaml`, `// jobs.mjs`) are written to it, and a `text` block is what the commands before it print.
 * A `sh stays` block is a terminal of its own, ended like Ctrl-C by the next one of the same name; `sh fails` ends with an error.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './postgres.ts'
import { startWarmCli } from './warm-cli.ts'

export const root = join(import.meta.dirname, '..')
export const paper = (path: string): string => readFileSync(join(root, path), 'utf8')

export type Block = {
  readonly language: string
  readonly mark: string
  readonly text: string
  readonly heading: string
}

/** The fenced blocks of a page, each with the heading it stands under. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let heading = ''
  let open: { info: string; lines: string[] } | undefined
  for (const line of page.split('\n')) {
    const fence = /^```(.*)$/.exec(line)
    if (open && fence) {
      const [language = '', mark = ''] = open.info.split(' ')
      blocks.push({ language, mark, heading, text: open.lines.join('\n') })
      open = undefined
    } else if (open) open.lines.push(line)
    else if (fence) open = { info: fence[1] ?? '', lines: [] }
    else if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
  }
  return blocks
}

/** The commands of a block; a line that ends with a backslash goes on. */
export const commandsOf = ({ language, text }: Block): string[] =>
  language === 'sh'
    ? text
        .replaceAll('\\\n', '\u0000')
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('#'))
        .map((line) => line.replaceAll('\u0000', '\\\n'))
    : []

/** What may differ between two runs: times, ids, keys, ports of visitors, seeds, durations. The page shows one of each. */
const volatile: readonly (readonly [shape: string, like?: string])[] = [
  [String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?`],
  [String.raw`\d{8}T\d{6}(?:\.\d+)?Z`],
  [String.raw`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`],
  [String.raw`\b[0-9a-f]{8,}\b`, '[0-9a-f]{8,}'],
  [String.raw`\b20\d{6}\b`],
  [String.raw`\b\d\d:\d\d:\d\d\b`],
  [String.raw`\bseed \d+`],
  [String.raw`\b\d+(?:\.\d+)? s\b`],
  [String.raw`failing \(\d+\)`],
  [String.raw`\b198\.51\.100\.\d+|\b203\.0\.113\.\d+`, '[0-9a-f.:]+'],
]

/** What the page shows as a pattern: `…` stands for the rest of a line, or on a line of its own for any lines. */
export const patternOf = (shown: string): RegExp => new RegExp(`^${linesOf(shown)}$`)

const linesOf = (shown: string): string =>
  shown
    .split('\n')
    .map((line) => (line.trim() === '…' ? String.raw`(?:[^\n]*\n)*` : String.raw`${lineOf(line)}\n`))
    .join('')

// Numbers that stand in a column differ as well.
const shapes = new RegExp(['…', ' +', ...volatile.map(([shape]) => shape), String.raw`\b\d+(?=  )`].join('|'), 'g')

function lineOf(line: string): string {
  let pattern = ''
  let at = 0
  for (const match of line.matchAll(shapes)) {
    pattern += RegExp.escape(line.slice(at, match.index)) + likes(match[0])
    at = match.index + match[0].length
  }
  return pattern + RegExp.escape(line.slice(at))
}

function likes(found: string): string {
  if (found === '…') return String.raw`[^\n]*`
  // Columns are as wide as what stands in them.
  if (/^ +$/.test(found)) return ' +'
  const [shape = String.raw`\d+`, like = shape] = volatile.find(([one]) => new RegExp(`^(?:${one})$`).test(found)) ?? []
  return like
}

/** Without spaces at the ends of lines or empty lines around, and every line with its end. */
const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '')
    .concat('\n')

export type DeskSettings = {
  /** Ports and places the page names, and what stands for them here. */
  readonly stead: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  readonly npx: 'real' | 'warm'
}

export type Desk = {
  readonly directory: string
  /** Every command that was run, as the page has it. */
  readonly ran: readonly string[]
  run(block: Block, shown?: Block): Promise<void>
  leave(): Promise<void>
}

/** For each port that a page names, one that is free here. */
export const freePorts = async (named: readonly number[]): Promise<Record<string, string>> =>
  Object.fromEntries(await Promise.all(named.map(async (port) => [String(port), String(await freePort())])))

/** A directory that looks like a fresh checkout, a shell in it, and the terminals that stay open beside it. */
export async function openDesk({ stead, environment = {}, npx }: DeskSettings): Promise<Desk> {
  const directory = mkdtempSync(join(tmpdir(), 'spillway-desk-'))
  // As after `npm ci`: everything but data, which is what the page makes.
  for (const name of readdirSync(root)) {
    if (name !== 'data' && !name.startsWith('.')) symlinkSync(join(root, name), join(directory, name))
  }
  const binaries = mkdtempSync(join(tmpdir(), 'spillway-bin-'))
  const warm = npx === 'warm' ? await startWarmCli(binaries) : undefined
  process.chdir(directory)
  const env = {
    ...process.env,
    PATH: [binaries, join(root, 'node_modules/.bin'), process.env.PATH, '/usr/sbin'].join(delimiter),
    SPILLWAY_PORT: String(stead[8787] ?? 0),
    // Some forty processes load the same modules.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compile'),
    npm_config_loglevel: 'error',
    npm_config_update_notifier: 'false',
    ...environment,
  }
  delete (env as Record<string, unknown>).NODE_TEST_CONTEXT
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: directory, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const terminals = new Map<string, ChildProcess>()
  const ran: string[] = []
  // A test that is broken off leaves nothing running.
  process.once('exit', () => {
    for (const child of [...terminals.values()].filter(isRunning)) signal(child, 'SIGKILL')
  })
  const here = (text: string) =>
    Object.entries(stead).reduce((done, [said, real]) => done.replaceAll(whole(said), real), text)
  const there = (text: string) =>
    Object.entries(stead)
      .reduce((done, [said, real]) => done.replaceAll(whole(real), said), text)
      .replaceAll(directory, '/home/you/spillway')

  async function type(command: string): Promise<{ output: string; code: number }> {
    assert.ok(isRunning(shell), 'an earlier command did not end')
    const file = join(binaries, 'command.sh')
    writeFileSync(file, `${here(command)}\n`)
    let output = ''
    // Sooner than the test gives up, so that it can be read what a loop was waiting for.
    const late = setTimeout(() => shell.kill('SIGKILL'), 90_000)
    const end = new Promise<number>((resolve, reject) => {
      const take = (chunk: string) => {
        output += chunk
        const [, code] = /<ended (\d+)>\n$/.exec(output) ?? []
        if (code === undefined) return
        shell.stdout.off('data', take)
        output = output.replace(/<ended \d+>\n$/, '')
        resolve(Number(code))
      }
      shell.stdout.setEncoding('utf8').on('data', take)
      shell.once('exit', () => reject(new Error(`the shell ended at ${command}: ${output}`)))
    })
    shell.stdin.write(`. ${file} </dev/null 2>&1; printf '<ended %s>\\n' $?\n`)
    const code = await end.finally(() => clearTimeout(late))
    shell.removeAllListeners('exit')
    ran.push(command)
    return { output: there(output), code }
  }

  /** A terminal of its own; what it shows is waited for. */
  async function stay(command: string, shown: Block | undefined): Promise<void> {
    const name = command.split(' ').slice(-2).join(' ')
    await end(terminals.get(name))
    // `npm ci` is what brought the tests here.
    const child = spawn('bash', ['-c', here(command).replace(/^npm ci && /, '')], {
      cwd: directory,
      env,
      detached: true,
    })
    terminals.set(name, child)
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text))
    const wanted = shown ? linesOf(shown.text) : ''
    await eventually(() => {
      if (isRunning(child)) assert.match(tidy(there(said)), new RegExp(wanted))
    })
    assert.ok(isRunning(child), `${command} ended:\n${said}`)
    ran.push(command)
  }

  async function end(child: ChildProcess | undefined): Promise<void> {
    if (!child || !isRunning(child)) return
    const ended = once(child, 'exit')
    signal(child, 'SIGINT')
    await ended
  }

  return {
    directory,
    ran,
    async run(block, shown) {
      const [, file] = /^(?:#|\/\/) ([\w./-]+\.\w+)\n/.exec(block.text) ?? []
      if (block.language !== 'sh') {
        assert.ok(file, `a ${block.language} block that is neither run nor a file:\n${block.text}`)
        mkdirSync(join(directory, file, '..'), { recursive: true })
        return writeFileSync(join(directory, file), `${here(block.text)}\n`)
      }
      const commands = commandsOf(block)
      if (block.mark === 'stays') return stay(commands.join('\n'), shown)
      let output = ''
      for (const [at, command] of commands.entries()) {
        const done = await type(command)
        output += done.output
        const mayFail = block.mark === 'fails' && at === commands.length - 1
        assert.equal(done.code !== 0, mayFail, `${command}\nended with ${done.code}:\n${done.output}`)
      }
      if (shown) assert.match(tidy(output), patternOf(shown.text), `${block.text}\nprinted:\n${tidy(output)}`)
    },
    async leave() {
      for (const child of terminals.values()) await end(child)
      warm?.stop()
      process.chdir(root)
      shell.stdin.end()
      if (isRunning(shell)) await once(shell, 'exit')
      for (const path of [directory, binaries]) rmSync(path, { recursive: true, force: true })
    },
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

/** To the process and all it started, as a terminal does. */
const signal = ({ pid }: ChildProcess, name: NodeJS.Signals): boolean => pid !== undefined && process.kill(-pid, name)

/** A port or a place that is not part of a longer one. */
const whole = (text: string): RegExp => new RegExp(`(?<![\\w/])${RegExp.escape(text)}(?!\\w)`, 'g')

/** Runs the blocks of a page in order, a step of the test for each. */
export async function runPaper(t: TestContext, desk: Desk, blocks: readonly Block[]): Promise<void> {
  for (const [at, block] of blocks.entries()) {
    if (block.language === 'text') continue
    const next = blocks[at + 1]
    const shown = next?.language === 'text' && block.language === 'sh' ? next : undefined
    const [first = ''] = block.text.split('\n')
    await t.test(`${block.heading}: ${first}`, { timeout: 120_000 }, async () => desk.run(block, shown))
  }
}

export async function eventually(look: () => void | Promise<void>): Promise<void> {
  const until = performance.now() + 90_000
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (performance.now() > until) throw error
      await wait(100)
    }
  }
}
