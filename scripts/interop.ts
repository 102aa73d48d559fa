/**
 * Real servers instead of our emulators: MinIO for kind A, fake-gcs-server for B, Azurite for C, each taking the same
 * walk and the same audit. What cannot be had is skipped, loudly. Not part of `npm test`: the first run compiles for
 * minutes.
 */
import { openOutside } from '../src/outside.ts'
import { walkStore } from '../test/endpoints/index.ts'
import { auditBucket } from './interop/audit.ts'
import { obtain } from './interop/programs.ts'
import { startAzurite, startFakeGcs, startMinio } from './interop/stores.ts'

const stores = [
  { name: 'C, Azurite', open: startAzurite },
  { name: 'A, MinIO', server: 'minio', open: startMinio },
  { name: 'B, fake-gcs-server', server: 'fake-gcs-server', open: startFakeGcs },
] as const

for (const entry of stores) {
  const program = 'server' in entry ? await obtain(entry.server) : ''
  if (program === undefined) {
    console.log(`SKIPPED  ${entry.name}`)
    continue
  }
  const { buckets, stop } = await entry.open(program)
  try {
    for (const bucket of buckets) {
      const where = new URL(bucket.conf('')).host
      const outside = openOutside(bucket.network)
      await tell(`${entry.name}, ${where}: the walk`, () => walkStore({ ...bucket, outside }))
      await outside.close()
      await tell(`${entry.name}, ${where}: an object gone, one cut short, both repaired`, () => auditBucket(bucket))
    }
  } finally {
    await stop()
  }
}

async function tell(what: string, walk: () => Promise<void>): Promise<void> {
  try {
    await walk()
    console.log(`passed   ${what}`)
  } catch (error) {
    process.exitCode = 1
    console.log(`FAILED   ${what}`)
    console.error(error)
  }
}
