/** Links and headings of the papers, as the places that show them understand both. */

const withoutCode = (page: string): string => page.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '')

/** Where the links of a page lead: to `[text](target)` and pictures alike. */
export const linksIn = (page: string): string[] =>
  [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)

/** What can stand behind `#` for a page: its headings in lower case, spaces as hyphens, a second one of a name counted. */
export function anchorsIn(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>()
  const headings = page.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#{1,6} (.+)$/gm)
  const anchors = [...headings].map(([, heading = '']) => {
    const name = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    return count === 0 ? name : `${name}-${count}`
  })
  return new Set(anchors)
}
