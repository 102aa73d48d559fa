/** Switches settings of the edge. */
import { filled, flag, object, oneOf, onlyTrue, optional } from '../shape.ts'
import { defineAction } from './action.ts'

const switches = {
  automatic_https_rewrites: optional(flag),
  bic: optional(flag),
  content_converter: optional(flag),
  email_obfuscation: optional(flag),
  fonts: optional(flag),
  hotlink_protection: optional(flag),
  mirage: optional(flag),
  opportunistic_encryption: optional(flag),
  redirects_for_ai_training: optional(flag),
  rocket_loader: optional(flag),
  server_side_excludes: optional(flag),
  sxg: optional(flag),
  disable_apps: optional(onlyTrue),
  disable_pay_per_crawl: optional(onlyTrue),
  disable_rum: optional(onlyTrue),
  disable_zaraz: optional(onlyTrue),
  autominify: optional(object({ css: filled(flag, false), html: filled(flag, false), js: filled(flag, false) })),
  polish: optional(oneOf('off', 'lossless', 'lossy', 'webp')),
  request_body_buffering: optional(oneOf('none', 'standard', 'full')),
  response_body_buffering: optional(oneOf('none', 'standard')),
  security_level: optional(oneOf('off', 'essentially_off', 'low', 'medium', 'high', 'under_attack')),
  ssl: optional(oneOf('off', 'flexible', 'full', 'strict', 'origin_pull')),
}

const parameters = object(switches, { someOf: Object.keys(switches) })

export const setConfig = defineAction({
  name: 'set_config',
  says: 'Switches settings of the edge for the request; for each setting the last matching rule wins.',
  terminating: false,
  parameters: () => parameters,
  examples: [{ ssl: 'strict', rocket_loader: false, disable_rum: true, autominify: { css: true } }],
  act(settings, { passage }) {
    Object.assign(passage.settings, settings)
    return undefined
  },
})
