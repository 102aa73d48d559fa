/** What the doctor looks at, and what a look finds. */
import type { Clock } from '../base/index.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/index.ts'

/** `wrong` keeps the service from its work, now or at the next start; `doubtful` is worth a look. */
export type Level = 'fine' | 'doubtful' | 'wrong'

export type Finding = {
  /** The name of the check. */
  readonly check: string
  readonly level: Level
  readonly what: string
  /** A setting, a path, an address or a job. Never a secret. */
  readonly where: string
  /** What to do about it; nothing for what is fine. */
  readonly todo?: string
}

/** A finding before its check has put its name to it. */
export type Note = Omit<Finding, 'check'>

export const fine = (where: string, what: string): Note => ({ level: 'fine', where, what })
export const doubtful = (where: string, what: string, todo: string): Note => ({ level: 'doubtful', where, what, todo })
export const wrong = (where: string, what: string, todo: string): Note => ({ level: 'wrong', where, what, todo })

export type Patient = {
  /** With each setting that cannot be read at its default; those are findings of their own. */
  readonly config: Config
  readonly mistakes: readonly string[]
  /** The data directory, absolute. */
  readonly data: string
  readonly now: Clock
  /** A process holds the data directory. */
  readonly isHeld: boolean
  /** The metadata, for looking only; undefined when there is none yet, or why it cannot be opened. */
  readonly database: Database | { readonly trouble: string } | undefined
}

export type Check = {
  readonly name: string
  readonly says: string
  look(patient: Patient): Promise<readonly Note[]>
}

/** What an error says in a line; the one that caused it says more. */
export function sayError(error: unknown): string {
  const { message, code, errors, cause } = error as NodeJS.ErrnoException & { errors?: readonly Error[] }
  if (cause instanceof Error) return sayError(cause)
  // A name with several addresses fails with one error for each, and says nothing itself.
  return message || errors?.map((one) => one.message).join('; ') || code || String(error)
}
