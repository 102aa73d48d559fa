/** What an expression needs: the fields whose values it reads, the lists it asks, the functions it calls. */
import type { Access, Argument, Call, Expression } from './tree.ts'

export type Uses = {
  readonly fields: ReadonlySet<string>
  readonly lists: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
}

export const uses = ({ root }: Expression): Uses => {
  const found = { fields: new Set<string>(), lists: new Set<string>(), functions: new Set<string>() }
  visit(root, {
    access: (access) => {
      if (access.base.kind === 'field') found.fields.add(access.base.field.name)
    },
    call: (call) => found.functions.add(call.function.name),
    list: (name) => found.lists.add(name),
  })
  return found
}

type Visitor = {
  readonly access: (access: Access) => void
  readonly call: (call: Call) => void
  readonly list: (name: string) => void
}

const visit = (node: Argument, visitor: Visitor): void => {
  switch (node.kind) {
    case 'literal':
    case 'constant':
      return
    case 'access':
      visitor.access(node)
      if (node.base.kind !== 'call') return
      visitor.call(node.base)
      for (const argument of node.base.args) visit(argument, visitor)
      return
    case 'combine':
      for (const item of node.items) visit(item, visitor)
      return
    case 'not':
    case 'group':
      visit(node.item, visitor)
      return
    case 'quantifier':
      visit(node.over, visitor)
      return
    case 'compare':
      visit(node.left, visitor)
      if (node.test.by === 'order') visit(node.test.right, visitor)
      if (node.test.by === 'list') visitor.list(node.test.name)
  }
}
