/** A tree as text again: words for operators, one spelling for each thing. Parsing the text gives the same tree. */
import { textOf } from './bytes.ts'
import { formatIp, type Ip, isIp, sameIp } from './ip.ts'
import type { Access, Argument, Index, Literal, Logical, Root, SetItems, Test } from './tree.ts'
import type { Scalar } from './values.ts'

export const print = (root: Root): string => {
  if (root.kind === 'access') return printAccess(root)
  return root.kind === 'literal' ? printLiteral(root) : printLogical(root)
}

const printLogical = (node: Logical): string => {
  switch (node.kind) {
    case 'combine':
      return node.items.map(printLogical).join(` ${node.op} `)
    case 'not':
      return `not ${printLogical(node.item)}`
    case 'group':
      return `(${printLogical(node.item)})`
    case 'quantifier':
      return `${node.op}(${print(node.over)})`
    case 'compare':
      return node.test.by === 'truth' ? printAccess(node.left) : `${printAccess(node.left)} ${printTest(node.test)}`
    case 'constant':
      return String(node.value)
  }
}

const printAccess = ({ base, indexes }: Access): string => {
  const behind = indexes.map(printIndex).join('')
  if (base.kind === 'field') return base.field.name + behind
  return `${base.function.name}(${base.args.map(printArgument).join(', ')})${behind}`
}

const printArgument = (argument: Argument): string => print(argument)

const printIndex = (index: Index): string => {
  if (index.at === 'each') return '[*]'
  return index.at === 'item' ? `[${index.item}]` : `[${printString(index.key)}]`
}

const printTest = (test: Exclude<Test, { by: 'truth' }>): string => {
  switch (test.by) {
    case 'order':
      return `${test.op} ${print(test.right)}`
    case 'bits':
      return `& ${test.mask}`
    case 'contains':
      return `contains ${printString(test.needle)}`
    case 'matches':
      return `matches ${printRaw(test.pattern)}`
    case 'wildcard':
      return `${test.strict ? 'strict ' : ''}wildcard ${printString(test.pattern)}`
    case 'set':
      return `in {${printItems(test.set).join(' ')}}`
    case 'list':
      return `in $${test.name}`
  }
}

const printItems = (set: SetItems): readonly string[] => {
  if (set.of === 'Bytes') return set.items.map(printString)
  if (set.of === 'Int') return set.items.map(({ first, last }) => (first === last ? `${first}` : `${first}..${last}`))
  return set.items.map(({ first, last }) => printRange(first, last))
}

const printRange = (first: Ip, last: Ip): string =>
  sameIp(first, last) ? formatIp(first) : `${formatIp(first)}..${formatIp(last)}`

const printLiteral = ({ value }: Literal): string => printScalar(value)

const printScalar = (value: Scalar): string => {
  if (typeof value === 'string') return printString(value)
  return isIp(value) ? formatIp(value) : String(value)
}

/** In quotes; as text where the bytes are UTF-8, with escapes for control characters and everything else. */
const printString = (bytes: string): string => {
  const text = textOf(bytes)
  const escaped = [...(text ?? bytes)].map((character) => {
    if (character === '"' || character === '\\') return `\\${character}`
    const code = character.codePointAt(0) ?? 0
    const isPlain = code >= 0x20 && code !== 0x7f && (text !== undefined || code < 0x7f)
    return isPlain ? character : `\\x${code.toString(16).padStart(2, '0')}`
  })
  return `"${escaped.join('')}"`
}

/** A raw string with as many `#` as it takes for no quote inside to end it. */
const printRaw = (text: string): string => {
  const longest = Math.max(-1, ...[...text.matchAll(/"(#*)/g)].map((match) => (match[1] ?? '').length))
  const hashes = '#'.repeat(longest + 1)
  return `r${hashes}"${text}"${hashes}`
}
