/** Members of the account and their roles. */
import { useState } from 'react'
import { access, type BodyOf, type ResultOf } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { when } from '../format.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { useSession } from '../session.tsx'
import { Roster } from './roster.tsx'

type Member = ResultOf<typeof access.listMembers>[number]
type Role = BodyOf<typeof access.addMember>['role']

const roles: readonly Role[] = ['administrator', 'log share', 'log share reader', 'rulesets editor', 'read only']

export function Members() {
  const { client, place } = useSession()
  const scope = { account: place.account.id }
  const members = useAnswer((signal) => client.call(access.listMembers, { scope, signal }), [scope])
  const changeRole = useAction(async (member: Member, role: string) => {
    await client.call(access.changeRole, { scope, params: { member_id: member.id }, body: { role: role as Role } })
    members.again()
  })
  return (
    <Roster
      title="Members"
      what="members"
      empty="No members yet; super administrators need no membership."
      answer={members}
      error={changeRole.error}
      heads={['E-mail', 'Role', 'Since']}
      addVerb="Add a member"
      endVerb="Remove"
      secret={{
        title: 'The new member’s API key',
        says: 'The address was not known yet, so it got a key. Hand it over now: it is shown this once.',
      }}
      row={(member) => (
        <>
          <td className="break">{member.email}</td>
          <td>
            <select
              aria-label={`Role of ${member.email}`}
              value={member.roles[0]?.name ?? ''}
              disabled={changeRole.isRunning}
              onChange={(event) => void changeRole.run(member, event.target.value)}
            >
              {roles.map((role) => (
                <option key={role} value={role}>
                  {role}
                </option>
              ))}
            </select>
          </td>
          <td className="nowrap numeric">{when(member.created_on)}</td>
        </>
      )}
      ending={({ id, email }) => ({
        title: `Remove ${email}?`,
        word: email,
        says: 'Tokens that they made in this account end too.',
        act: () => client.call(access.removeMember, { scope, params: { member_id: id } }),
      })}
      form={(onClose, onMade) => <AddMember onClose={onClose} onMade={onMade} />}
    />
  )
}

function AddMember({ onClose, onMade }: { onClose(): void; onMade(key: string | undefined): void }) {
  const { client, place } = useSession()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<string>('read only')
  const add = async () => {
    const body = { email: email.trim(), role: role as Role }
    const added = await client.call(access.addMember, { scope: { account: place.account.id }, body })
    onMade(added.api_key)
  }
  return (
    <FormDialog title="Add a member" verb="Add" act={add} onClose={onClose}>
      <TextField label="E-mail" type="email" value={email} onChange={setEmail} required />
      <Select label="Role" value={role} onChange={setRole} options={roles.map((one) => [one, one])} />
    </FormDialog>
  )
}
