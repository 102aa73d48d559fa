/** Regular expressions of the language: judged when an expression is parsed, made runnable when it is compiled. */
import { unicodeProblem } from './compiled.ts'
import { parseRegex, type Regex } from './syntax.ts'

export { type Match, type RegexTest, regexFind, regexTest } from './compiled.ts'
export type { Regex } from './syntax.ts'

/** The pattern's tree, or the text that tells what is wrong with it. */
export const judgeRegex = (pattern: string, byteLimit: number): Regex | { readonly problem: string } => {
  const parsed = parseRegex(pattern, byteLimit)
  if ('problem' in parsed || parsed.root) return parsed
  const problem = unicodeProblem(pattern)
  return problem === undefined ? parsed : { problem }
}
