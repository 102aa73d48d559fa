/** The function `is_timed_hmac_valid_v0` of the rules language: its page, its examples, its work. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { defineFunction, either, field, literal, optional } from '../define.ts'
import { flagsFrom, numberBetween } from '../literal-argument.ts'

export const isTimedHmacValidV0 = defineFunction({
  name: 'is_timed_hmac_valid_v0',
  says: 'True when a text of the form message, separator, 10-digit UNIX time, hyphen, MAC carries the HMAC-SHA256 of message and time under the key, and is younger than `ttl` seconds. The MAC is Base64, URL-encoded; with the flag `s` it is URL-safe Base64 without padding.',
  takes: [
    literal('key', 'Bytes'),
    field('message_mac', 'Bytes'),
    literal('ttl', 'Int'),
    either('current_timestamp', 'Int'),
    optional(literal('length_of_separator', 'Int')),
    optional(literal('flags', 'Bytes')),
  ],
  gives: 'Bool',
  check: (at, argument) => {
    if (at === 4) return numberBetween(argument, 0, 255, 'the length of the separator')
    return at === 5 ? flagsFrom(argument, 's') : undefined
  },
  examples: [
    [
      'is_timed_hmac_valid_v0("key", http.request.uri, 100, http.request.timestamp.sec, 8, "s")',
      true,
      {
        'http.request.uri': '/a?verify=1700000000-OjQ4_i2byj9A18fNr67erKUJMk5COQiUt-CJuWfE9sk',
        'http.request.timestamp.sec': 1700000099,
      },
    ],
    [
      'is_timed_hmac_valid_v0("key", http.request.uri, 100, http.request.timestamp.sec, 8, "s")',
      false,
      {
        'http.request.uri': '/a?verify=1700000000-OjQ4_i2byj9A18fNr67erKUJMk5COQiUt-CJuWfE9sk',
        'http.request.timestamp.sec': 1700000100,
      },
    ],
  ],
  run: (key, text, ttl, now, separator = 0, flags = '') => {
    const [, message, time, mac] = /^(.*)([0-9]{10})-(.{43,})$/s.exec(text) ?? []
    if (message === undefined || time === undefined || mac === undefined) return false
    const end = message.length - Number(separator)
    if (end < 0) return false
    const digest = createHmac('sha256', Buffer.from(key, 'latin1'))
      .update(message.slice(0, end) + time, 'latin1')
      .digest()
    const given = Buffer.from(flags === 's' ? mac : percentDecoded(mac), 'base64')
    return given.length === digest.length && timingSafeEqual(given, digest) && Number(now) < Number(time) + Number(ttl)
  },
})

const percentDecoded = (text: string): string =>
  text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
