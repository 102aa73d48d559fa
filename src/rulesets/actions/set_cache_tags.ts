/** Changes the tags by which an answer can be purged from caches. */
import { listOf, object, oneOf, optional, required, text } from '../shape.ts'
import { defineAction, type RuleContext } from './action.ts'

const parameters = (context: RuleContext) =>
  object(
    {
      operation: required(oneOf('add', 'remove', 'set')),
      values: optional(listOf(text({ min: 1, max: 1024 }), { min: 1, max: 100 })),
      expression: optional(context.expression('string')),
    },
    { exactlyOneOf: ['values', 'expression'] },
  )

export const setCacheTags = defineAction({
  name: 'set_cache_tags',
  says: 'Adds, removes or sets cache tags, as a list or as an expression that gives them with commas between.',
  terminating: false,
  parameters,
  examples: [
    { operation: 'add', values: ['news'] },
    { operation: 'set', expression: 'http.host' },
  ],
  expressions: ({ expression }) => (expression === undefined ? [] : [expression]),
  act({ operation, values, expression }, { passage, value }) {
    const tags = values ?? (value(expression ?? '') ?? '').split(',').map((tag) => tag.trim())
    passage.cacheTags.push({ operation, tags: tags.filter((tag) => tag !== '') })
    return undefined
  },
})
