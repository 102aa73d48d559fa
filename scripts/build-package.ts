/**
 * Writes dist/, the form in which the package is installed (`npm pack` runs it): Node strips no types below node_modules,
 * so it is done here, by Node's own stripper. Lines and columns stay where they were, and stack traces with them.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { buildConsole } from './build-console.ts'

const root = join(import.meta.dirname, '..')
/** What is started by its path: the command line, and the record engine as a child. */
const entries = ['src/main.ts', 'src/engine/child.ts']
/** What the code reads by its place: the built console, and the examples that `edge config` fills in. */
const beside = ['console/dist', 'docs/edge']
// Biome writes every statement at the begin of a line and every specifier in single quotes; ours end in .ts or .json.
const specifiers = /(?:^(?:import|export|\})[^'\n]* from |^import |\bimport\()'([^']+)'/gm

export type Built = { readonly files: readonly string[]; readonly packages: ReadonlySet<string> }

/** Strips whatever the entries lead to; tells which files that were, and which packages they import. */
export function buildPackage(into: string): Built {
  rmSync(into, { recursive: true, force: true })
  const files = new Set(entries)
  const packages = new Set<string>()
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    const script = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text
    for (const [, name = ''] of script.matchAll(specifiers)) {
      if (name.startsWith('.')) files.add(relative(root, resolve(root, dirname(file), name)))
      else if (!name.startsWith('node:')) packages.add(packageOf(name))
    }
    write(
      join(into, file.replace(/\.ts$/, '.js')),
      script.replaceAll(specifiers, (all) => all.replace(/\.ts'/, ".js'")),
    )
  }
  const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  write(join(into, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`)
  for (const directory of beside.filter((name) => existsSync(join(root, name))))
    cpSync(join(root, directory), join(into, directory), { recursive: true })
  return { files: [...files], packages }
}

/** `@scope/name/inner` is of the package `@scope/name`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

if (import.meta.main) {
  await buildConsole()
  const { files } = buildPackage(join(root, 'dist'))
  process.stderr.write(`Wrote ${files.length} files to dist.\n`)
}
