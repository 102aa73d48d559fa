/** Paths of object stores: read, compared, filled in, and escaped. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../base/index.ts'
import { judgeObjectPath, objectKey, objectUrl, pathIdentity } from './object-path.ts'

const read = (path: string) => {
  const reasons: Reason[] = []
  const segments = judgeObjectPath(path, reasons)
  return { segments, reasons: reasons.map(({ message }) => message) }
}

test('placeholders are filled in UTC, to the minute', () => {
  const { segments } = read('/logs/{DATE}/h={HOUR}/{DATE}-{HOUR}{MINUTE}')
  const lastMinute = new Date('2025-12-31T23:59:59.999Z')
  assert.equal(objectKey(segments, lastMinute, 'x.log.gz'), 'logs/20251231/h=23/20251231-2359/x.log.gz')
  assert.equal(objectKey(segments, new Date(lastMinute.getTime() + 1), 'x'), 'logs/20260101/h=00/20260101-0000/x')
})

test('no path is the root of the bucket', () => {
  for (const path of ['', '/', '//']) assert.equal(objectKey(read(path).segments, new Date(0), 'x'), 'x')
})

test('slashes that say nothing are dropped, letter case is kept, escapes are read once', () => {
  for (const path of ['/Logs/{DATE}', '//Logs//{DATE}/', '/Logs/%7BDATE%7D', '/%4Cogs/%7bDATE}']) {
    assert.equal(pathIdentity(read(path).segments), '/Logs/{DATE}', path)
  }
})

test('what a store and a URL parser could read differently is refused', () => {
  for (const path of [
    '/a/./b',
    '/..',
    '/a/%2E%2e',
    '/a%2Fb',
    '/a%5Cb',
    '/a%25b',
    '/%',
    '/%zz',
    '/a/%20b',
    '/é'.normalize('NFD'),
  ]) {
    assert.equal(read(path).reasons.length, 1, path)
  }
})

test('keys are escaped as S3 signs them, below whatever path the base has', () => {
  const url = objectUrl(new URL('https://host/base/'), 'bucket', "a b/it's (1)!*/ü+&=")
  assert.equal(url.href, 'https://host/base/bucket/a%20b/it%27s%20%281%29%21%2A/%C3%BC%2B%26%3D')
})
