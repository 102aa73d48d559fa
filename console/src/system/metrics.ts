/** The text form of metrics, read back: one sample per line. */
export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export function readMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, key = '', said = '']) => [key, said] as const,
    )
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}

/** All samples of a name that carry these labels, added up. */
export const sumOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0)
