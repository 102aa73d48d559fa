/** Asking the API from a component: the newest question wins, an old answer stays until the new one is there. */
import { useCallback, useEffect, useRef, useState } from 'react'

export type Answer<T> = {
  readonly value: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  again(): void
}

/** Asks when it appears, whenever `about` changes, and every `everyMs` while the tab is looked at. */
export function useAnswer<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  about: readonly unknown[],
  everyMs?: number,
): Answer<T> {
  const subject = JSON.stringify(about)
  const [known, setKnown] = useState<{ subject: string; value?: T; error?: unknown }>({ subject })
  const [round, setRound] = useState(0)
  const [isLoading, setLoading] = useState(true)
  const asking = useRef(ask)
  asking.current = ask

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks the same question again.
  useEffect(() => {
    const gone = new AbortController()
    setLoading(true)
    asking
      .current(gone.signal)
      .then((value) => setKnown({ subject, value }))
      .catch((error: unknown) => {
        if (!gone.signal.aborted)
          setKnown((before) => ({ ...(before.subject === subject ? before : { subject }), error }))
      })
      .finally(() => {
        if (!gone.signal.aborted) setLoading(false)
      })
    return () => gone.abort()
  }, [subject, round])

  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setRound((before) => before + 1)
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])

  const again = useCallback(() => setRound((before) => before + 1), [])
  const isAbout = known.subject === subject
  return { value: isAbout ? known.value : undefined, error: isAbout ? known.error : undefined, isLoading, again }
}

export type Action<A extends readonly unknown[]> = {
  readonly isRunning: boolean
  readonly error: unknown
  run(...given: A): Promise<boolean>
  forget(): void
}

/** Something a person set off: whether it is under way, and what became of it. Resolves to false when it failed. */
export function useAction<A extends readonly unknown[]>(act: (...given: A) => Promise<void>): Action<A> {
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown }>({ isRunning: false })
  const run = async (...given: A): Promise<boolean> => {
    setState({ isRunning: true })
    try {
      await act(...given)
      setState({ isRunning: false })
      return true
    } catch (error) {
      setState({ isRunning: false, error })
      return false
    }
  }
  return { isRunning: state.isRunning, error: state.error, run, forget: () => setState({ isRunning: false }) }
}
