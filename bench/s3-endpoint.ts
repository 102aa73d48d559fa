/** The S3 of the tests in a process of its own, so that a bench does not count its work; tells its parent what lies there. */
import { startS3 } from '../test/endpoints/index.ts'

const s3 = await startS3()
process.on('message', (name: string) => process.send?.(String(s3.objects().get(name)?.body)))
process.on('disconnect', () => process.exit())
process.send?.(s3.url)
