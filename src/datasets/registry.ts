/** Which datasets there are: the shipped ones, and those an operator added as files. */
import { type Judged, judgedBy, type Reason, type ScopeKind } from '../base/index.ts'
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
