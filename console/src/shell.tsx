/** The frame around every page: navigation, where one stands, theme and sign-out. */
import { type ReactNode, useState } from 'react'
import mark from './mark.svg'
import { Button } from './parts/button.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { go, Link, pathTo } from './router.tsx'
import { useSession } from './session.tsx'
import { applyTheme, nextTheme, readTheme, type Theme } from './theme.ts'

const pages: readonly (readonly [page: string, words: string, icon: IconName])[] = [
  ['jobs', 'Export jobs', 'jobs'],
  ['logs', 'Logs', 'logs'],
  ['rulesets', 'Rulesets', 'rules'],
  ['lists', 'Lists', 'lists'],
  ['trace', 'Trace a request', 'trace'],
  ['edge', 'Edge', 'edge'],
  ['audit', 'Audit', 'audit'],
  ['people', 'Tokens & members', 'people'],
  ['places', 'Accounts & zones', 'places'],
  ['system', 'System', 'system'],
]

export function Shell({ page, children }: { readonly page: string; readonly children: ReactNode }) {
  const { user, at, signOut } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <div className={`side${isOpen ? ' open' : ''}`}>
        <div className="top">
          <div className="brand">
            <img src={mark} alt="" /> Spillway
          </div>
          <span className="menu-button">
            <Button tone="quiet" icon="menu" label="Menu" isPressed={isOpen} onClick={() => setOpen(!isOpen)} />
          </span>
        </div>
        <PlaceSwitcher page={page} />
        <nav aria-label="Pages">
          <ul>
            {pages.map(([name, words, icon]) => (
              <li key={name}>
                <Link to={at(name)} isCurrent={name === page}>
                  <Icon name={icon} /> {words}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="foot">
          <p className="who" title={user.email}>
            {user.email}
          </p>
          <ThemeButton />
          <Button tone="quiet" icon="out" onClick={signOut}>
            Sign out
          </Button>
        </div>
      </div>
      <main className="main" id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** Every account with its zones; the account itself is a place too. */
function PlaceSwitcher({ page }: { readonly page: string }) {
  const { accounts, zones, place } = useSession()
  const move = (value: string) => {
    const [word = '', id = ''] = value.split('/')
    go(pathTo(word, id, page || 'jobs'))
  }
  return (
    <div className="switcher">
      <label htmlFor="place">Account or zone</label>
      <select id="place" value={`${place.kind}s/${place.id}`} onChange={(event) => move(event.target.value)}>
        {accounts.map((account) => (
          <optgroup key={account.id} label={account.name}>
            <option value={`accounts/${account.id}`}>{account.name} (account)</option>
            {zones
              .filter((zone) => zone.account.id === account.id)
              .map((zone) => (
                <option key={zone.id} value={`zones/${zone.id}`}>
                  {zone.name}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </div>
  )
}

const themeWords: Readonly<Record<Theme, readonly [words: string, icon: IconName]>> = {
  system: ['Theme: system', 'halves'],
  light: ['Theme: light', 'sun'],
  dark: ['Theme: dark', 'moon'],
}

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  const [words, icon] = themeWords[theme]
  const turn = () => {
    const next = nextTheme(theme)
    applyTheme(next)
    setTheme(next)
  }
  return (
    <Button tone="quiet" icon={icon} onClick={turn}>
      {words}
    </Button>
  )
}
