/** Values of fields, indexes and calls, as closures that read a table. */
import { isCalledPerElement } from './check.ts'
import type { Run } from './define.ts'
import type { Access, Argument, Call, Index, Logical } from './tree.ts'
import type { Value, Values } from './values.ts'

export type Getter = (values: Values) => Value | undefined
/** How a condition inside an argument is compiled: handed in, because conditions hold values and values hold conditions. */
export type CompileCondition = (node: Logical) => Getter

/** The value of an access without `[*]`, or the array of elements with it: missing when nothing is there to unpack. */
export const compileAccess = (access: Access, condition: CompileCondition): Getter => {
  const split = access.indexes.findIndex((index) => index.at === 'each')
  if (split === -1) return indexed(compileBase(access, condition), access.indexes)
  const unpacked = indexed(compileBase(access, condition), access.indexes.slice(0, split))
  const behind = access.indexes.slice(split)
  return (values) => {
    const value = unpacked(values)
    return value === undefined ? undefined : elementsOf(value, behind)
  }
}

/** The elements that `[*]` unpacks; none when nothing is there to unpack. */
export const compileElements = (
  access: Access,
  condition: CompileCondition,
): ((values: Values) => readonly Value[]) => {
  const get = compileAccess(access, condition)
  return (values) => (get(values) as readonly Value[] | undefined) ?? []
}

const indexed = (base: Getter, indexes: readonly Index[]): Getter => {
  const [only] = indexes
  if (only === undefined) return base
  if (indexes.length === 1) return (values) => step(base(values), only)
  return (values) => {
    let value = base(values)
    for (let at = 0; at < indexes.length; at++) value = step(value, indexes[at] as Index)
    return value
  }
}

/** Several `[*]` flatten; absent elements are left out. */
const elementsOf = (value: Value, indexes: readonly Index[]): readonly Value[] => {
  let found: readonly Value[] = [value]
  for (const index of indexes) {
    found =
      index.at === 'each'
        ? found.flatMap((each) => [...(each as readonly Value[] | ReadonlyMap<string, Value>).values()])
        : found.map((each) => step(each, index)).filter((each) => each !== undefined)
  }
  return found
}

const step = (value: Value | undefined, index: Index): Value | undefined => {
  if (value === undefined) return undefined
  if (index.at === 'item') return (value as readonly Value[])[index.item]
  return index.at === 'key' ? (value as ReadonlyMap<string, Value>).get(index.key) : value
}

const compileBase = ({ base }: Access, condition: CompileCondition): Getter => {
  if (base.kind === 'call') return compileCall(base, condition)
  const { slot } = base.field
  return (values) => values.slots[slot]
}

const compileArgument = (argument: Argument, condition: CompileCondition): Getter => {
  if (argument.kind === 'literal') return () => argument.value
  return argument.kind === 'access' ? compileAccess(argument, condition) : condition(argument)
}

const compileCall = (call: Call, condition: CompileCondition): Getter => {
  const { ask } = call.function
  const getters = call.args.map((argument) => compileArgument(argument, condition))
  if (ask) return (values) => ask(values, ...getters.map((get) => get(values)))
  const run = runnerOf(call)
  const passesMissing = call.function.missing === 'passed'
  if (isCalledPerElement(call.args)) return perElement(call, condition, getters.slice(1), run, passesMissing)
  if (passesMissing) return (values) => run(...getters.map((get) => get(values)))
  return plainCall(getters, run)
}

const runnerOf = ({ function: called, args }: Call): Run => {
  const literals = args.map((argument) => (argument.kind === 'literal' ? argument.value : undefined))
  const run = called.prepare ? called.prepare(literals) : called.run
  if (!run) throw new Error(`${called.name} has nothing to run`)
  return run
}

/** One and two arguments are nearly all calls: they get along without an array. */
const plainCall = (getters: readonly Getter[], run: Run): Getter => {
  const [first, second] = getters as readonly [Getter, Getter?]
  if (getters.length === 1) {
    return (values) => {
      const value = first(values)
      return value === undefined ? undefined : run(value)
    }
  }
  if (getters.length === 2 && second) {
    return (values) => {
      const left = first(values)
      const right = left === undefined ? undefined : second(values)
      return right === undefined ? undefined : run(left, right)
    }
  }
  return (values) => {
    const given = getters.map((get) => get(values))
    return given.includes(undefined) ? undefined : run(...given)
  }
}

const perElement = (
  call: Call,
  condition: CompileCondition,
  others: readonly Getter[],
  run: Run,
  passesMissing: boolean,
): Getter => {
  const first = compileArgument(call.args[0] as Argument, condition)
  return (values) => {
    const elements = first(values) as readonly Value[] | undefined
    if (elements === undefined) return undefined
    const rest = others.map((get) => get(values))
    if (!passesMissing && rest.includes(undefined)) return []
    return elements.map((element) => run(element, ...rest)).filter((result) => result !== undefined)
  }
}
