/** R2 object storage: the S3 protocol at an address made of the account id, with keys in the string. */
import { judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { type AwsCredentials, destinationKind } from './destination.ts'
import { judgeObjectPath, type ObjectPath, objectKey, objectUrl, pathIdentity } from './object-path.ts'
import { judgeBucket, readKeys } from './s3.ts'
import { lookAtObject, putObject, type S3Object } from './s3-object.ts'

type R2Target = {
  readonly account: string
  readonly bucket: string
  readonly path: ObjectPath
  readonly keys: AwsCredentials
}

export const r2 = destinationKind<R2Target>({
  kind: 'r2',
  title: 'R2 object storage',
  says: '`r2://<bucket>[/<dir>]?account-id=<A>&access-key-id=<K>&secret-access-key=<S>`. Each parcel is one object; `{DATE}`, `{HOUR}` and `{MINUTE}` may stand in the directory.',
  examples: [
    'r2://example-logs/edge/{DATE}?account-id=0123456789abcdef0123456789abcdef&access-key-id=AKIAEXAMPLE&secret-access-key=c2VjcmV0a2V5Zm9ydGVzdHM',
  ],
  isObjectStore: true,
  claims: (conf) => hasScheme(conf, 'r2'),
  parse(text) {
    const conf = takeApart(text)
    if (!conf.ok) return conf
    const reasons: Reason[] = []
    const bucket = judgeBucket(conf.value.authority, reasons)
    const path = judgeObjectPath(conf.value.path, reasons)
    const parameters = readParameters(conf.value.parameters, reasons)
    const account = parameters.need('account-id', /^[0-9a-f]{32}$/, '32 lower-case hex digits')
    const keys = readKeys(parameters)
    parameters.refuseRest()
    return judgedBy(reasons, () => ({ account, bucket, path, keys }))
  },
  identity: ({ account, bucket, path }) => `r2://${account}/${bucket}${pathIdentity(path)}`,
  secrets: ({ keys }) => [keys.secretAccessKey],
  provenByCredential: () => true,
  objectName: ({ path }, at, leaf) => objectKey(path, at, leaf),
  deliver: (target, parcel, outside) => putObject(reach(target, parcel.name), parcel, outside),
  look: (target, name, outside) => lookAtObject(reach(target, name), outside),
})

const reach = ({ account, bucket, keys }: R2Target, key: string): S3Object => ({
  url: objectUrl(new URL(`https://${account}.r2.cloudflarestorage.com`), bucket, key),
  region: 'auto',
  credentials: keys,
})
