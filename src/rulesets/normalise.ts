/**
 * One spelling for paths that origins take for the same, so that `/%61dmin`, `//admin` and `/x/../admin` do not slip past a
 * rule on `/admin`: RFC 3986 section 6.2.2, and slashes that lean the other way or come in a row. Rules see it; what goes on to
 * the origin, and the fields that begin with `raw.`, stay as they were told.
 */
export function normalisePath(path: string): string {
  if (!isOdd.test(path)) return path
  const plain = path
    .replaceAll(/%[0-9A-Fa-f]{2}/g, (code) => {
      const char = String.fromCharCode(Number.parseInt(code.slice(1), 16))
      return /[\w.~-]/.test(char) ? char : code.toUpperCase()
    })
    .replaceAll('\\', '/')
    .replaceAll(/\/{2,}/g, '/')
  return withoutDots(plain)
}

/** Most paths are not; looking is cheaper than rewriting. */
const isOdd = /[%\\]|\/\/|\/\.{1,2}(?:\/|$)/

function withoutDots(path: string): string {
  const kept: string[] = []
  const segments = path.split('/').slice(1)
  for (const [at, segment] of segments.entries()) {
    const isDots = segment === '.' || segment === '..'
    if (segment === '..') kept.pop()
    if (!isDots) kept.push(segment)
    // A path that ends in dots ends in the directory they mean.
    else if (at === segments.length - 1) kept.push('')
  }
  return `/${kept.join('/')}`
}
