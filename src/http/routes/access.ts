/** Users, accounts, zones, members, tokens. */
import * as access from '../../access/index.ts'
import { problems } from '../../base/index.ts'
import { access as contract } from '../../contract/index.ts'
import type { Bind } from '../bind.ts'

export function bindAccess(bind: Bind, needs: access.AccessNeeds): void {
  bind(contract.viewUser, (_, caller) => access.viewUser(needs, caller))
  bind(contract.rollKey, (_, caller) => access.rollKey(needs, caller))
  bind(contract.verifyToken, (_, caller) => {
    if (caller.credential.type !== 'token') throw problems.tokenNotVerified()
    return { id: caller.credential.id, status: 'active' }
  })

  bind(contract.listAccounts, ({ query }, caller) => access.listAccounts(needs, caller, query))
  bind(contract.createAccount, ({ body }, caller) => access.createAccount(needs, caller, body))
  bind(contract.viewAccount, ({ scope }) => access.viewAccount(needs, scope))
  bind(contract.updateAccount, ({ scope, body }, caller) => access.renameAccount(needs, caller, scope, body))
  bind(contract.deleteAccount, ({ scope }, caller) => access.deleteAccount(needs, caller, scope))

  bind(contract.listZones, ({ query }, caller) => access.listZones(needs, caller, query))
  bind(contract.createZone, ({ body }, caller) => access.createZone(needs, caller, body))
  bind(contract.viewZone, ({ scope }) => access.viewZone(needs, scope))
  bind(contract.deleteZone, ({ scope }, caller) => access.deleteZone(needs, caller, scope))

  bind(contract.listMembers, ({ scope }) => access.listMembers(needs, scope))
  bind(contract.addMember, ({ scope, body }, caller) => access.addMember(needs, caller, scope, body))
  bind(contract.changeRole, ({ scope, params, body }, caller) =>
    access.changeRole(needs, caller, scope, params.member_id, body),
  )
  bind(contract.removeMember, ({ scope, params }, caller) =>
    access.removeMember(needs, caller, scope, params.member_id),
  )

  bind(contract.listTokens, ({ scope }) => access.listTokens(needs, scope))
  bind(contract.createToken, ({ scope, body }, caller) => access.createToken(needs, caller, scope, body))
  bind(contract.revokeToken, ({ scope, params }, caller) => access.revokeToken(needs, caller, scope, params.token_id))
}
