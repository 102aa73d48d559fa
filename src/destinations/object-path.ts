/**
 * The path of an object store: read from a destination string, compared as a template, filled in when an object is
 * named. `{DATE}` is YYYYMMDD, `{HOUR}` HH and `{MINUTE}` MM, all UTC, all of the window's start.
 */
import type { Reason } from '../base/index.ts'
import { decode } from './conf.ts'

/** Segments between slashes, placeholders unfilled; none means the root of the bucket. */
export type ObjectPath = readonly string[]

const placeholders: Readonly<Record<string, (at: string) => string>> = {
  '{DATE}': (at) => at.slice(0, 10).replaceAll('-', ''),
  '{HOUR}': (at) => at.slice(11, 13),
  '{MINUTE}': (at) => at.slice(14, 16),
}
const placeholder = /\{(?:DATE|HOUR|MINUTE)\}/g
const mostPlaceholders = 8

// S3 allows keys of 1024 bytes. The longest file name we add has 60, and {HOUR} never grows when it is filled.
const longestPath = 900

/**
 * Redundant slashes and the one at the end mean nothing, so they are dropped; letter case means something in a key, so
 * it is kept. Escapes are decoded once: %7BDATE%7D is {DATE}, because many URL libraries write it that way.
 */
export function judgeObjectPath(path: string, reasons: Reason[]): ObjectPath {
  const wrong = (why: string): ObjectPath => {
    reasons.push({ message: `path: ${why}` })
    return []
  }
  const plain = decode(path)
  if (plain === undefined) return wrong('a percent sign must begin the escape of a visible character')
  if (/%(2f|5c|25)/i.test(path)) return wrong('an escaped slash, backslash or percent sign is not allowed')
  if (plain.length > longestPath) return wrong(`longer than ${longestPath} characters`)
  const segments = plain.split('/').filter((segment) => segment !== '')
  if (segments.some((segment) => /^\.{1,2}$/.test(segment))) return wrong('"." and ".." segments are not allowed')
  if (segments.some((segment) => segment.trim() !== segment)) return wrong('a segment begins or ends with a space')
  if ((plain.match(placeholder) ?? []).length > mostPlaceholders) {
    return wrong(`more than ${mostPlaceholders} placeholders`)
  }
  const literal = plain.replaceAll(placeholder, '')
  if (/[{}]/.test(literal)) return wrong(`braces stand only in ${Object.keys(placeholders).join(', ')}`)
  // NFC and NFD spellings of one name look alike and are two keys; the rest breaks tools that list buckets.
  const odd = /[^A-Za-z0-9/!\-_.*'()&$@=;:+, ~]/u.exec(literal)
  if (odd) return wrong(`the character "${odd[0]}" is not allowed in an object key here`)
  return segments
}

/** One spelling for one path, to compare and to show. */
export const pathIdentity = (path: ObjectPath): string => path.map((segment) => `/${segment}`).join('')

/** The key of an object below the path, with the placeholders filled in. */
export function objectKey(path: ObjectPath, at: Date, leaf: string): string {
  const instant = at.toISOString()
  const fill = (segment: string) => segment.replaceAll(placeholder, (name) => placeholders[name]?.(instant) ?? name)
  return [...path.map(fill), leaf].join('/')
}

/** Where an object lies below a base address; everything RFC 3986 does not call unreserved is escaped, as S3 signs it. */
export function objectUrl(base: URL, ...parts: readonly string[]): URL {
  const escaped = (segment: string) =>
    encodeURIComponent(segment).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  const path = parts.flatMap((part) => part.split('/')).map(escaped)
  const url = new URL(base)
  url.pathname = [url.pathname.replace(/(?<!\/)\/+$/, ''), ...path].join('/')
  return url
}
