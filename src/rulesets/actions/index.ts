/** Every action. Adding one is a file and a line. */
import type { Action } from './action.ts'
import { block } from './block.ts'
import { challenge } from './challenge.ts'
import { compressResponse } from './compress_response.ts'
import { ddosDynamic } from './ddos_dynamic.ts'
import { execute } from './execute.ts'
import { forceConnectionClose } from './force_connection_close.ts'
import { jsChallenge } from './js_challenge.ts'
import { log } from './log.ts'
import { logCustomField } from './log_custom_field.ts'
import { managedChallenge } from './managed_challenge.ts'
import { redirect } from './redirect.ts'
import { rewrite } from './rewrite.ts'
import { route } from './route.ts'
import { score } from './score.ts'
import { serveError } from './serve_error.ts'
import { setCacheControl } from './set_cache_control.ts'
import { setCacheSettings } from './set_cache_settings.ts'
import { setCacheTags } from './set_cache_tags.ts'
import { setConfig } from './set_config.ts'
import { skip } from './skip.ts'

export type { Action, Redirect, RuleContext } from './action.ts'
export type { ExecuteParameters, Overrides } from './execute.ts'
export type { SkipParameters } from './skip.ts'

export const actions = [
  block,
  challenge,
  compressResponse,
  ddosDynamic,
  execute,
  forceConnectionClose,
  jsChallenge,
  log,
  logCustomField,
  managedChallenge,
  redirect,
  rewrite,
  route,
  score,
  serveError,
  setCacheControl,
  setCacheSettings,
  setCacheTags,
  setConfig,
  skip,
] as const

export type ActionName = (typeof actions)[number]['name']

// Each action knows the type of its own parameters; whoever looks one up by name has judged them before.
const byName = new Map<string, Action>(actions.map((action) => [action.name, action as Action]))

export const findAction = (name: string): Action | undefined => byName.get(name)
