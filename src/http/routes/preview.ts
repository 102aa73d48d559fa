/** What a job would write, judged as a job's options are and shown as an object would hold it. */
import { problems, toMoment } from '../../base/index.ts'
import { preview as contract } from '../../contract/index.ts'
import { judgeSelection } from '../../jobs/index.ts'
import { type LogNeeds, preview } from '../../logs/index.ts'
import type { Bind } from '../bind.ts'

export function bindPreview(bind: Bind, { logs }: { readonly logs: LogNeeds }): void {
  bind(contract.previewJob, async ({ scope, body, signal }) => {
    const name = body.dataset ?? 'http_requests'
    const dataset = logs.datasets.find(name, scope.kind)
    if (!dataset) throw problems.datasetUnknown(name, scope.kind)
    const texts = {
      logfetch_options: body.logfetch_options ?? null,
      output_options: body.output_options ?? null,
      filter: body.filter ?? '',
    }
    const selection = judgeSelection(texts, dataset)
    if (!selection.ok) throw problems.invalid(selection.reasons)
    const seen = await preview(logs, scope, dataset, selection.value, signal)
    return {
      text: seen.text,
      records: seen.records,
      rows_per_hour: seen.rowsPerHour,
      bytes_per_hour: seen.bytesPerHour,
      window: { from: toMoment(seen.window.from), to: toMoment(seen.window.to) },
    }
  })
}
