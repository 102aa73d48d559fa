/** Light or dark: the system's choice unless a person made their own. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'spillway.theme'
const themes: readonly Theme[] = ['system', 'light', 'dark']

export const readTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system'

export function applyTheme(theme: Theme = readTheme()): void {
  localStorage.setItem(key, theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
