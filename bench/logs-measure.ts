/** What a piece of work costs this process and the engine beside it: wall time, CPU time, memory. */
import { readFileSync } from 'node:fs'

export type Cost = {
  readonly seconds: number
  readonly ownCpu: number
  readonly engineCpu: number
  readonly cpu: number
}

// USER_HZ, the unit of /proc/<pid>/stat, is 100 on Linux.
const ticksPerSecond = 100

/** User and system time of a process so far; 0 when there is none. */
export function cpuSeconds(pid: number | undefined): number {
  if (pid === undefined) return 0
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

export async function measure(pid: number | undefined, work: () => Promise<unknown>): Promise<Cost> {
  const [own, engine, wall] = [process.cpuUsage(), cpuSeconds(pid), performance.now()]
  await work()
  const used = process.cpuUsage(own)
  const ownCpu = (used.user + used.system) / 1e6
  const engineUsed = cpuSeconds(pid) - engine
  return { seconds: (performance.now() - wall) / 1000, ownCpu, engineCpu: engineUsed, cpu: ownCpu + engineUsed }
}

/** Resident memory in MB, of this process and of the engine: now, and at most so far. */
export function memory(pid: number | undefined): {
  readonly own: number
  readonly engine: number
  readonly most: number
} {
  const read = (of: string, key: string) =>
    Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${of}/status`, 'utf8'))?.[1] ?? 0) / 1024
  const engine = pid === undefined ? 0 : read(String(pid), 'VmRSS')
  const most = read('self', 'VmHWM') + (pid === undefined ? 0 : read(String(pid), 'VmHWM'))
  return { own: Math.round(read('self', 'VmRSS')), engine: Math.round(engine), most: Math.round(most) }
}

export const perCpuSecond = (bytes: number, { cpu }: Pick<Cost, 'cpu'>): number => Math.round(bytes / 1e6 / cpu)
export const perSecond = (bytes: number, { seconds }: Cost): number => Math.round(bytes / 1e6 / seconds)
