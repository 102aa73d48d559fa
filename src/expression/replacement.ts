/** Replacement texts of `regex_replace` and `wildcard_replace`: `${1}` for what was captured, `$$` for a dollar sign. */

const reference = /\$(?:\$|\{([0-9]+)\})/g
const mostReferences = 8

export const replacementProblem = (replacement: string): string | undefined => {
  const references = [...replacement.matchAll(reference)].filter((match) => match[1] !== undefined)
  if (references.length > mostReferences) return `a replacement may have at most ${mostReferences} references`
  if (replacement.replace(reference, '').includes('$')) return `write \${n} for a reference and $$ for a dollar sign`
  return undefined
}

/** Group 0 is the whole match; a group that took no part is empty. */
export const fillReplacement = (replacement: string, groups: readonly (string | undefined)[]): string =>
  replacement.replace(reference, (_, group?: string) => (group === undefined ? '$' : (groups[Number(group)] ?? '')))
