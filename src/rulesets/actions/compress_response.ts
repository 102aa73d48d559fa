/** Chooses how an answer is compressed. */
import { checked, listOf, object, oneOf, required } from '../shape.ts'
import { defineAction } from './action.ts'

const algorithm = object({ name: required(oneOf('none', 'auto', 'default', 'gzip', 'brotli', 'zstd')) })

const parameters = object({
  algorithms: required(
    checked(listOf(algorithm, { min: 1, uniqueBy: ({ name }) => name }), (algorithms, place) => {
      for (const [index, { name }] of algorithms.entries())
        if ((name === 'none' || name === 'auto') && index < algorithms.length - 1)
          place.at(index).at('name').refuse(name, 'it can only be the last')
    }),
  ),
})

export const compressResponse = defineAction({
  name: 'compress_response',
  says: 'Names the compressions to try, in order of preference; the last matching rule wins.',
  terminating: false,
  parameters: () => parameters,
  examples: [{ algorithms: [{ name: 'zstd' }, { name: 'gzip' }, { name: 'auto' }] }],
  act({ algorithms }, { passage }) {
    passage.compression = algorithms.map(({ name }) => name)
    return undefined
  },
})
