/** A judgement on what a person wrote: either the value it means, or every reason why it means none. */

/** One reason, and where in the input it lies: a JSON pointer into the body, or nothing when the whole is meant. */
export type Reason = { readonly message: string; readonly pointer?: string; readonly code?: number }

export type Judged<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reasons: readonly Reason[] }

export const accept = <T>(value: T): Judged<T> => ({ ok: true, value })

export const reject = (...reasons: readonly (Reason | string)[]): Judged<never> => ({
  ok: false,
  reasons: reasons.map((reason) => (typeof reason === 'string' ? { message: reason } : reason)),
})

/** The value when nothing speaks against it, otherwise all that does. */
export const judgedBy = <T>(reasons: readonly Reason[], value: () => T): Judged<T> =>
  reasons.length === 0 ? accept(value()) : { ok: false, reasons }

/** All reasons in one sentence, for answers that have a single `message`. */
export const sayReasons = (reasons: readonly Reason[]): string => reasons.map((reason) => reason.message).join('; ')
