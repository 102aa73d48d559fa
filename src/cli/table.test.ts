import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeTerminal } from '../../test/terminal.ts'
import { bar, makeProgress } from './progress.ts'
import { cellsOf, cut, paint, table, wrap } from './table.ts'

const screen = (columns: number, isTerminal = true, hasColours = false) =>
  makeTerminal({ columns, isTerminal, hasColours })

test('letters are measured in the cells a terminal gives them', () => {
  const widths: [string, number][] = [
    ['plain', 5],
    ['', 0],
    ['日本', 4],
    ['한글', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['…', 1],
    ['ａ', 2],
    ['a\u200bb', 2],
    ['\u001b[31mred\u001b[0m', 3],
  ]
  for (const [text, cells] of widths) assert.equal(cellsOf(text), cells, JSON.stringify(text))
})

test('a text is cut to its cells, between letters, with an ellipsis', () => {
  assert.equal(cut('abcdef', 6), 'abcdef')
  assert.equal(cut('abcdef', 5), 'abcd…')
  assert.equal(cut('日本語', 4), '日…')
  assert.equal(cut('ae\u0301ae\u0301', 3), 'ae\u0301…')
  assert.equal(cut('ab', 0), '')
})

test('no line of a table is wider than the terminal, and columns stand under their heads', () => {
  const heads = ['id', 'name', 'destination']
  const rows = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), fc.string()), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(rows, fc.integer({ min: 20, max: 200 }), (cells, columns) => {
      const lines = table(screen(columns).terminal, heads, cells).split('\n')
      assert.equal(lines.length, cells.length + 1)
      for (const line of lines) assert.ok(cellsOf(line) <= columns, `${cellsOf(line)} > ${columns}: ${line}`)
    }),
  )
})

test('the widest column gives way first, and in a pipe none does', () => {
  const row = ['1', 'short', 'https://receiver.example.com/a/very/long/path']
  const narrow = table(screen(40).terminal, ['id', 'name', 'destination'], [row])
  assert.equal(narrow, 'ID  NAME   DESTINATION\n1   short  https://receiver.example.com…')
  const piped = table(screen(40, false).terminal, ['id', 'name', 'destination'], [row])
  assert.ok(piped.includes('https://receiver.example.com/a/very/long/path'))
})

test('a paragraph is broken between words, and its later lines are indented', () => {
  assert.equal(wrap(screen(24).terminal, 'one two three four five six', 2), 'one two three four\n  five six')
  assert.equal(wrap(screen(24, false).terminal, 'one two three four five six', 2), 'one two three four five six')
})

test('colours are for terminals that want them', () => {
  assert.equal(paint(screen(80).terminal, 'red', 'x'), 'x')
  assert.equal(paint(screen(80, true, true).terminal, 'red', 'x'), '\u001b[31mx\u001b[39m')
})

test('a bar shows the share that is done, on a terminal only', () => {
  assert.equal(bar(0), '[░░░░░░░░░░░░░░░░░░░░]   0 %')
  assert.equal(bar(0.5), '[██████████░░░░░░░░░░]  50 %')
  assert.equal(bar(7), '[████████████████████] 100 %')
  const piped = screen(80, false)
  const silent = makeProgress(piped.terminal)
  silent.show('records', 0.5)
  silent.end()
  assert.equal(piped.err(), '')
  const { terminal, err } = screen(30)
  const progress = makeProgress(terminal)
  progress.show('1000 records taken, 0 refused', 0.5)
  assert.equal(err(), '[██████████░░░░░░░░░░]  50 %…')
  progress.end()
  assert.ok(err().endsWith('\u001b[1A\u001b[2K\u001b[1A'))
})
