/** Lists of an account. */
import { lists as contract } from '../../contract/index.ts'
import * as rulesets from '../../rulesets/index.ts'
import type { Bind } from '../bind.ts'

export function bindLists(bind: Bind, needs: rulesets.RulesetNeeds): void {
  bind(contract.listLists, ({ scope }) => rulesets.listLists(needs, scope))
  bind(contract.createList, ({ scope, body }, caller) => rulesets.createList(needs, caller, scope, body))
  bind(contract.viewList, ({ scope, params }) => rulesets.viewList(needs, scope, params.list_id))
  bind(contract.updateList, ({ scope, params, body }, caller) =>
    rulesets.updateList(needs, caller, scope, params.list_id, body),
  )
  bind(contract.deleteList, ({ scope, params }, caller) => rulesets.deleteList(needs, caller, scope, params.list_id))
  bind(contract.listItems, ({ scope, params, query: { cursor, per_page, search } }) =>
    rulesets.listItems(needs, scope, params.list_id, {
      ...(cursor === undefined ? {} : { cursor }),
      ...(per_page === undefined ? {} : { perPage: per_page }),
      ...(search === undefined ? {} : { search }),
    }),
  )
  bind(contract.addItems, ({ scope, params, body }, caller) =>
    rulesets.addItems(needs, caller, scope, params.list_id, body),
  )
  bind(contract.replaceItems, ({ scope, params, body }, caller) =>
    rulesets.replaceItems(needs, caller, scope, params.list_id, body),
  )
  bind(contract.removeItems, ({ scope, params, body }, caller) =>
    rulesets.removeItems(needs, caller, scope, params.list_id, body),
  )
}
