/** What the console knows about a job: its health in one word, its place without secrets, its deliveries by window. */
import type { logexport, ResultOf } from '../../../src/contract/index.ts'
import { ago } from '../format.ts'
import type { Tone } from '../parts/page.tsx'

export type Job = ResultOf<typeof logexport.viewJob>
export type Status = ResultOf<typeof logexport.jobStatus>
export type Delivery = ResultOf<typeof logexport.listDeliveries>[number]

export const nameOf = (job: Pick<Job, 'id' | 'name'>): string => job.name || `Job ${job.id}`

export type Health = { readonly word: string; readonly tone: Tone; readonly says: string }

export function healthOf(job: Job): Health {
  const { enabled, error_message: error, last_error: failed, last_complete: done } = job
  const isFailing = error !== null && error !== '' && (done === null || failed === null || failed >= done)
  if (!enabled && isFailing) return { word: 'Stopped', tone: 'bad', says: error ?? '' }
  if (!enabled) return { word: 'Paused', tone: 'calm', says: 'Not exporting until it is resumed.' }
  if (isFailing) return { word: 'Retrying', tone: 'warn', says: error ?? '' }
  if (done === null) return { word: 'Waiting', tone: 'accent', says: 'Enabled; no window with records has closed yet.' }
  return { word: 'Delivering', tone: 'good', says: `Everything received before ${ago(done)} is delivered.` }
}

/**
 * The address without anything that may be a secret: parameters are left out, and a collector's code, which is its
 * credential, too.
 */
export function placeWords(conf: string): string {
  const [address = ''] = conf.split('?')
  return address.replace(/^(sumo:\/\/[^/]+\/receiver\/v1\/http\/).*$/, '$1…')
}

export type Window = {
  readonly from: string
  readonly to: string
  readonly rows: number
  readonly bytes: number
  readonly isTroubled: boolean
}

/** Parts of deliveries put together by window, oldest first. */
export function windowsOf(deliveries: readonly Delivery[]): readonly Window[] {
  const windows = new Map<string, Window>()
  for (const { window, rows, bytes, outcome } of deliveries) {
    const key = `${window.from} ${window.to}`
    const before = windows.get(key)
    windows.set(key, {
      from: window.from,
      to: window.to,
      rows: (before?.rows ?? 0) + rows,
      bytes: (before?.bytes ?? 0) + bytes,
      isTroubled: (before?.isTroubled ?? false) || outcome === 'retry' || outcome === 'refused',
    })
  }
  return [...windows.values()].sort((a, b) => (a.from < b.from ? -1 : 1))
}

export const outcomeTone = (outcome: string): Tone => {
  if (outcome === 'delivered') return 'good'
  if (outcome === 'retry') return 'warn'
  return outcome === 'refused' ? 'bad' : 'calm'
}
