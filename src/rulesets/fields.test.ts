import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fields, showValue } from '../expression/index.ts'
import { tableOf } from './fields.ts'
import { readRequest } from './request.ts'

const read = readRequest(
  {
    method: 'post',
    url: 'https://Shop.example.com:8443/Über/photo.JPG?a=1&b&a=2%20&=x',
    protocol: 'HTTP/2',
    headers: {
      'User-Agent': 'probe',
      'X-Two': ['1', '2'],
      'Accept-Language': 'de;q=0.5, en, *;q=0.1, fr;q=0',
      'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8',
    },
    cookies: { 'na%20me': 'v=1', plain: 'x' },
    body: 'q=caf%C3%A9&q=2&empty',
    ip: '192.0.2.7',
    facts: { 'ip.src.country': 'DE', 'cf.bot_management.score': 30, 'ip.src.asnum': 'not a number' },
  },
  { at: 1_700_000_000_123_456_789n, id: 'ray' },
)
assert.ok(read.ok)
const request = read.value
const response = { status: 404, headers: [['Content-Type', 'text/HTML; charset=x']] as const }

/** Every field with a value worth telling; missing ones are null. */
const expected: Record<string, unknown> = {
  'http.request.method': 'POST',
  'http.request.version': 'HTTP/2',
  'http.host': 'Shop.example.com:8443',
  'http.request.uri.path': '/Über/photo.JPG',
  'http.request.uri.path.extension': 'jpg',
  'http.request.uri.query': 'a=1&b&a=2%20&=x',
  'http.request.uri': '/Über/photo.JPG?a=1&b&a=2%20&=x',
  'http.request.full_uri': 'https://Shop.example.com:8443/Über/photo.JPG?a=1&b&a=2%20&=x',
  'raw.http.request.uri.path': '/Über/photo.JPG',
  'http.request.uri.args': { a: ['1', '2%20'], b: [''], '': ['x'] },
  'http.request.uri.args.names': ['a', 'b', 'a', ''],
  'http.request.uri.args.values': ['1', '', '2%20', 'x'],
  'http.user_agent': 'probe',
  'http.referer': '',
  'http.x_forwarded_for': '',
  'http.cookie': 'na%20me=v=1; plain=x',
  'http.request.cookies': { 'na me': ['v=1'], plain: ['x'] },
  'http.request.accepted_languages': ['en', 'de'],
  'http.request.timestamp.sec': 1_700_000_000,
  'http.request.timestamp.msec': 123,
  'http.request.body.raw': 'q=caf%C3%A9&q=2&empty',
  'http.request.body.size': 21,
  'http.request.body.truncated': false,
  'http.request.body.form': { q: ['caf%C3%A9', '2'], empty: [''] },
  'http.request.body.form.names': ['q', 'q', 'empty'],
  'http.request.body.multipart.values': [],
  'http.request.headers.truncated': false,
  ssl: true,
  'ip.src': '192.0.2.7',
  'ip.src.country': 'DE',
  'ip.geoip.country': 'DE',
  'ip.src.asnum': null,
  'ip.src.city': null,
  'cf.bot_management.score': 30,
  'cf.threat_score': 0,
  'cf.edge.server_port': 8443,
  'cf.ray_id': 'ray',
  'http.response.code': 404,
  'http.response.content_type.media_type': 'text/html',
  'http.response.headers': { 'content-type': ['text/HTML; charset=x'] },
}

test('fields are read from a request as the language describes them', () => {
  const table = tableOf(new Set(Object.keys(expected)))
  const values = table({ request, original: request, response, originalResponse: response }, () => undefined)
  const slots = new Map(fields.map((field) => [field.name, field.slot]))
  const told = Object.fromEntries(
    Object.keys(expected).map((name) => [name, showValue(values.slots[slots.get(name)!])]),
  )
  assert.deepEqual(told, expected)
})

test('repeated headers stay apart, by lower-case name and in order', () => {
  const table = tableOf(new Set(['http.request.headers', 'http.request.headers.names']))
  const values = table({ request, original: request }, () => undefined)
  const told = values.slots.filter((value) => value !== undefined).map(showValue)
  assert.deepEqual((told[0] as Record<string, unknown>)['x-two'], ['1', '2'])
  assert.deepEqual(told[1], ['Host', 'User-Agent', 'X-Two', 'X-Two', 'Accept-Language', 'Content-Type', 'Cookie'])
})

test('before there is an answer its fields are missing', () => {
  const values = tableOf(new Set(['http.response.code']))({ request, original: request }, () => undefined)
  assert.ok(values.slots.every((value) => value === undefined))
})
