/** The reference page of the API: every operation in a line, made from the contract. What each takes and gives is at /docs. */
import { type Operation, operations, pathsOf } from '../../src/contract/index.ts'

export function apiReference(): string {
  const tags = [...Map.groupBy(operations, (operation) => operation.tag)]
  return [
    '# API',
    '',
    'Every path stands below `/v4`, and below `/client/v4` for existing clients. `{scope}` is `/zones/{zone_id}` or',
    '`/accounts/{account_id}`. Fields of bodies and answers: `/docs` of a running service, or [openapi.json](openapi.json). Refusals:',
    '[errors.md](errors.md).',
    '',
    ...tags.flatMap(([tag, members]) => [
      `## ${tag}`,
      '',
      '| Operation | | Permission |',
      '|---|---|---|',
      ...members.map(
        (operation) =>
          `| \`${operation.method} ${placeOf(operation)}\` | ${operation.summary} | ${allowedFor(operation)} |`,
      ),
      '',
    ]),
  ].join('\n')
}

const placeOf = (operation: Operation): string =>
  operation.place === 'both' ? `{scope}${operation.path}` : String(pathsOf(operation)[0])

function allowedFor({ allowed, only, inAccount }: Operation): string {
  if (only === 'super') return 'super administrators'
  if (only === 'key') return 'any user, by API key'
  if (allowed === 'open') return 'none'
  if (allowed === 'anyone') return 'any credentials'
  return `\`${allowed}\`${inAccount ? ' in the account' : ''}`
}
