/** The function `has_value` of the rules language: its page, its examples, its work. */
import { defineFunction, either, field } from '../define.ts'
import { isIp, sameIp } from '../ip.ts'
import type { Value } from '../values.ts'

export const hasValue = defineFunction({
  name: 'has_value',
  says: 'True when some element of the array or map equals the value.',
  takes: [field('collection', 'Array<_>', 'Map<_>'), either('value', 'element')],
  gives: 'Bool',
  examples: [
    ['has_value(http.request.headers.names, "X-One")', true, { 'http.request.headers.names': ['Accept', 'X-One'] }],
    ['has_value(cf.bot_management.detection_ids, 7)', false, { 'cf.bot_management.detection_ids': [1, 2] }],
  ],
  run: (collection, value) => {
    const items = (collection as readonly Value[] | ReadonlyMap<string, Value>).values()
    for (const item of items) {
      if (item === value || (isIp(item) && isIp(value) && sameIp(item, value))) return true
    }
    return false
  },
})
