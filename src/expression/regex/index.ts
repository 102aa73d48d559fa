/** Regular expressions of the language: judged when an expression is parsed, made runnable when it is compiled. */
import { whyNotRunnable } from './compiled.ts'
import { emit } from './emit.ts'
import { parseRegex, type Regex } from './syntax.ts'

export { regexFind, regexTest } from './compiled.ts'
export type { Regex } from './syntax.ts'

/** The pattern's tree, or the text that tells what is wrong with it. What is accepted can be run. */
export const judgeRegex = (
  pattern: string,
  byteLimit: number,
  use: 'test' | 'find' = 'test',
): Regex | { readonly problem: string } => {
  const parsed = parseRegex(pattern, byteLimit)
  if ('problem' in parsed) return parsed
  const why = whyNotRunnable(parsed, use)
  if (why === undefined) return parsed
  // Of a pattern that we read ourselves RE2 can only dislike the size: it allows counts of 1,000, nested ones multiplied.
  const problem = parsed.root ? 'error: repetition counts multiply to more than 1000' : `error: ${why}`
  return { problem: `regex parse error:\n    ${pattern}\n${problem}` }
}

/** The pattern for RE2 on text in which each byte is one character; undefined for one that is matched on characters. */
export const re2Pattern = ({ root }: Regex): string | undefined => root && emit(root, 're2')
