/**
 * An S3 for whoever has none at hand, as the tutorial needs one: that of the tests, kept in memory, with the keys that the
 * environment gives to S3 clients. `npx node scripts/stand-in-s3.ts 9000`
 */
import { startS3 } from '../test/endpoints/index.ts'

const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env
if (!accessKeyId || !secretAccessKey) throw new Error('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
const { url } = await startS3({ keys: { accessKeyId, secretAccessKey }, port: Number(process.argv[2] ?? 9000) })
console.log(`An S3 in memory listens on ${url}`)
