import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeSpace } from './disk.ts'

test('a disk is judged by what is free on it, and by a ceiling that it cannot hold', () => {
  const levels = (free: number, size: number, ceiling: number) =>
    judgeSpace('/data', free, size, ceiling).map(({ level, where }) => `${level} ${where}`)
  assert.deepEqual(levels(100e9, 200e9, 0), ['fine /data'])
  assert.deepEqual(levels(4e9, 200e9, 0), ['doubtful /data'])
  assert.deepEqual(levels(4e8, 200e9, 0), ['wrong /data'])
  assert.deepEqual(levels(100e9, 200e9, 300e9), ['fine /data', 'wrong SPILLWAY_DISK_CEILING_BYTES'])
})
