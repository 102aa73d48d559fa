/** Pages of a list, counted from 1, as `page` and `per_page` ask for them. */

export type Page = { readonly page: number; readonly per_page: number }

/** Which way a list runs; upwards unless said. */
export type Direction = 'asc' | 'desc'

export type PageInfo = Page & { readonly count: number; readonly total_count: number; readonly total_pages: number }

export type Paged<T> = { readonly items: readonly T[]; readonly info: PageInfo }

export const paged = <T>(items: readonly T[], total: number, { page, per_page }: Page): Paged<T> => ({
  items,
  info: { page, per_page, count: items.length, total_count: total, total_pages: Math.ceil(total / per_page) },
})
