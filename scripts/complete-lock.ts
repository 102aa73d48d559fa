/**
 * Completes package-lock.json after `npm install` from a mirror that holds packages of one platform only: npm then leaves the
 * optional packages of the others out of the lock file, and `npm ci` refuses it everywhere. They are added by name, version
 * and platform, without a checksum; nothing is fetched.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Locked = {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly dev?: boolean
  readonly [rest: string]: unknown
}
export type Lock = { packages: Record<string, Locked> }

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const processors = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32']

/** What the name of a platform's package says it runs on. */
function platformOf(name: string) {
  const words = name.replace('windows', 'win32').split(/[^a-z0-9]+/)
  const os = systems.find((system) => words.includes(system))
  const cpu = processors.find((one) => words.includes(one) || words.includes(one === 'arm' ? 'armv7' : one))
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc'
  return { ...(cpu ? { cpu: [cpu] } : {}), ...(os ? { os: [os] } : {}), ...(os === 'linux' ? { libc: [libc] } : {}) }
}

/** The optional packages that something in the lock file wants and that it does not hold. */
export function missingFrom({ packages }: Lock): Record<string, Locked> {
  const missing: Record<string, Locked> = {}
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, wanted] of Object.entries(optionalDependencies)) {
      if (packages[`${path}/node_modules/${name}`] || packages[`node_modules/${name}`]) continue
      const version = wanted.replace(/^[^\d]*/, '')
      missing[`node_modules/${name}`] = {
        version,
        ...platformOf(name),
        ...(dev ? { dev: true } : {}),
        optional: true,
      }
    }
  }
  return missing
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../package-lock.json')
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock
  const missing = missingFrom(lock)
  const [root, ...rest] = Object.entries({ ...lock.packages, ...missing })
  const sorted = rest.sort(([a], [b]) => a.localeCompare(b, 'en'))
  lock.packages = Object.fromEntries(root ? [root, ...sorted] : sorted)
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`Added ${Object.keys(missing).length} packages of other platforms.`)
}
