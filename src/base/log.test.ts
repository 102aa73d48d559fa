import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeLog } from './log.ts'

test('what may be a secret does not reach a log line, at the top or one level down', () => {
  const lines: string[] = []
  const log = makeLog('info', { write: (line) => void lines.push(line) })
  const secrets = {
    authorization: 'Bearer s3cret',
    key: 's3cret',
    token: 's3cret',
    secret: 's3cret',
    destination_conf: 'https://u:s3cret@host',
    ownership_challenge: 's3cret',
    headers: { authorization: 's3cret', 'x-auth-key': 's3cret' },
  }
  log.info(secrets, 'at the top')
  log.info({ request: secrets }, 'one level down')
  assert.equal(lines.length, 2)
  assert.ok(!lines.join('').includes('s3cret'), lines.join(''))
  assert.match(lines[0] ?? '', /\[hidden\]/)
})
