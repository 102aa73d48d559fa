/** Files on the service's own disk, below a directory the operator names; for on-premise use and first steps. */
import { judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { destinationKind } from './destination.ts'
import { judgeObjectPath, type ObjectPath, objectKey, pathIdentity } from './object-path.ts'

type FileTarget = { readonly path: ObjectPath }

export const file = destinationKind<FileTarget>({
  kind: 'file',
  title: 'Files of the service',
  says: '`file:///<dir>` below the directory `SPILLWAY_FILE_ROOT`; off unless that is set. Each parcel is one file; `{DATE}`, `{HOUR}` and `{MINUTE}` may stand in the directory.',
  examples: ['file:///team/logs/{DATE}'],
  isObjectStore: true,
  claims: (conf) => hasScheme(conf, 'file'),
  parse(text) {
    const conf = takeApart(text)
    if (!conf.ok) return conf
    const reasons: Reason[] = []
    if (conf.value.authority !== '') reasons.push({ message: 'host: expected none; a file address has three slashes' })
    const path = judgeObjectPath(conf.value.path, reasons)
    if (path.length === 0 && reasons.length === 0) reasons.push({ message: 'path: expected a directory' })
    if (path.some((segment) => segment.startsWith('.'))) reasons.push({ message: 'path: a segment begins with a dot' })
    readParameters(conf.value.parameters, reasons).refuseRest()
    return judgedBy(reasons, () => ({ path }))
  },
  identity: ({ path }) => `file://${pathIdentity(path)}`,
  secrets: () => [],
  provenByCredential: () => false,
  objectName: ({ path }, at, leaf) => objectKey(path, at, leaf),
  async deliver(_target, parcel, outside) {
    await outside.writeFile(parcel.name, parcel.body)
    return { outcome: 'delivered' }
  },
  async look(_target, name, outside) {
    const bytes = await outside.fileSize(name)
    return bytes === undefined ? { sight: 'missing' } : { sight: 'there', bytes }
  },
})
