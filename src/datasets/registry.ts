/** Which datasets there are: the shipped ones, and those an operator added as files. */
import { accept, type Judged, judgedBy, type Reason, reject, type ScopeKind } from '../base/index.ts'
import { catalogue } from './catalogue/index.ts'
import { type Dataset, judgeDataset } from './dataset.ts'

export type DatasetRegistry = {
  readonly all: readonly Dataset[]
  /** The dataset of that name, as long as it lives in the scope the caller stands in. */
  find(name: string, scope?: ScopeKind): Dataset | undefined
}

/** The shipped datasets; a bad file among them is our bug. */
export const datasets: readonly Dataset[] = catalogue.map((file) => {
  const judged = judgeDataset(file)
  if (!judged.ok) throw new Error(`a shipped dataset is unsound: ${JSON.stringify(judged.reasons)}`)
  return judged.value
})

/** All datasets of this service. An added one must not take the name of another: its table would be shared. */
export function makeRegistry(extra: readonly Dataset[] = []): Judged<DatasetRegistry> {
  const byName = new Map(datasets.map((dataset) => [dataset.name, dataset]))
  const reasons: Reason[] = []
  for (const dataset of extra) {
    if (byName.has(dataset.name)) reasons.push({ message: `there is already a dataset ${dataset.name}` })
    else byName.set(dataset.name, dataset)
  }
  return judgedBy(reasons, () => ({
    all: [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    find(name, scope) {
      const dataset = byName.get(name)
      const isHere = scope === undefined || dataset?.scope === 'both' || dataset?.scope === scope
      return isHere ? dataset : undefined
    },
  }))
}

/** An operator's file by its name, as text. */
export type DatasetFile = { readonly file: string; readonly text: string }

/** The shipped datasets and those of the files; each reason begins with the file it is about, and where in it. */
export function judgeDatasetFiles(files: readonly DatasetFile[]): Judged<DatasetRegistry> {
  const judged = files.map(({ file, text }) => ({ file, dataset: judgeText(text) }))
  const added = judged.flatMap(({ dataset }) => (dataset.ok ? [dataset.value] : []))
  const registry = makeRegistry(added)
  const reasons = judged.flatMap(({ file, dataset }) =>
    dataset.ok
      ? []
      : dataset.reasons.map(({ pointer, message }) => ({
          message: `${file}${pointer ? ` ${pointer}` : ''}: ${message}`,
        })),
  )
  if (registry.ok && reasons.length === 0) return registry
  return reject(...reasons, ...(registry.ok ? [] : registry.reasons))
}

function judgeText(text: string): Judged<Dataset> {
  const parsed = parse(text)
  return parsed.ok ? judgeDataset(parsed.value) : parsed
}

function parse(text: string): Judged<unknown> {
  try {
    return accept(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return reject(`not JSON: ${error.message}`)
    throw error
  }
}
