/** Where the console begins. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { Crashed } from './crashed.tsx'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/forms.css'
import './style/parts.css'
import './style/tables.css'
import './style/jobs.css'
import './style/logs.css'
import './style/rules.css'
import './style/history.css'
import './style/editor.css'
import { applyTheme } from './theme.ts'

applyTheme()
const place = document.getElementById('console')
if (place) {
  // What could not be drawn is told, instead of an empty page.
  const tell = (error: unknown) => setTimeout(() => createRoot(place).render(<Crashed error={error} />))
  createRoot(place, { onUncaughtError: tell }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
