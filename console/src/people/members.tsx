/** Members of the account and their roles. */
import { useState } from 'react'
import { access, type BodyOf, type ResultOf } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { when } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, Dialog, ShownOnce } from '../parts/dialog.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Card, Loading } from '../parts/page.tsx'
import { useSession } from '../session.tsx'

type Member = ResultOf<typeof access.listMembers>[number]
type Role = BodyOf<typeof access.addMember>['role']

const roles: readonly Role[] = ['administrator', 'log share', 'log share reader', 'rulesets editor', 'read only']
const roleOptions = roles.map((role) => [role, role] as const)

export function Members() {
  const { client, place } = useSession()
  const scope = { account: place.account.id }
  const members = useAnswer((signal) => client.call(access.listMembers, { scope, signal }), [scope])
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<Member>()
  const [key, setKey] = useState<string>()
  const changeRole = useAction(async (member: Member, role: string) => {
    await client.call(access.changeRole, { scope, params: { member_id: member.id }, body: { role: role as Role } })
    members.again()
  })
  return (
    <Card
      title="Members"
      aside={
        <Button icon="plus" onClick={() => setAdding(true)}>
          Add a member
        </Button>
      }
    >
      <Problem error={members.error ?? changeRole.error} onRetry={members.again} />
      {!members.value && !members.error && <Loading what="members" />}
      {members.value?.length === 0 && <p className="soft">No members yet; super administrators need no membership.</p>}
      {members.value && members.value.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>E-mail</th>
              <th>Role</th>
              <th>Since</th>
              <th>
                <span className="visually-hidden">End it</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.value.map((member) => (
              <tr key={member.id}>
                <td className="break">{member.email}</td>
                <td>
                  <select
                    aria-label={`Role of ${member.email}`}
                    value={member.roles[0]?.name ?? ''}
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
                <td>
                  <Button tone="quiet" onClick={() => setLeaving(member)}>
                    Remove
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isAdding && (
        <AddMember
          onClose={() => setAdding(false)}
          onAdded={(value) => {
            setAdding(false)
            setKey(value)
            members.again()
          }}
        />
      )}
      {leaving && (
        <Confirm
          title={`Remove ${leaving.email}?`}
          word={leaving.email}
          verb="Remove the member"
          onClose={() => setLeaving(undefined)}
          act={async () => {
            await client.call(access.removeMember, { scope, params: { member_id: leaving.id } })
            setLeaving(undefined)
            members.again()
          }}
        >
          <p>Tokens that they made in this account end too.</p>
        </Confirm>
      )}
      {key && (
        <ShownOnce
          title="The new member’s API key"
          secret={key}
          says="The address was not known yet, so it got a key. Hand it over now: it is shown this once."
          onClose={() => setKey(undefined)}
        />
      )}
    </Card>
  )
}

function AddMember({ onClose, onAdded }: { onClose(): void; onAdded(key: string | undefined): void }) {
  const { client, place } = useSession()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<string>('read only')
  const add = useAction(async () => {
    const body = { email: email.trim(), role: role as Role }
    const added = await client.call(access.addMember, { scope: { account: place.account.id }, body })
    onAdded(added.api_key)
  })
  return (
    <Dialog title="Add a member" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void add.run()
        }}
      >
        <TextField label="E-mail" type="email" value={email} onChange={setEmail} required />
        <Select label="Role" value={role} onChange={setRole} options={roleOptions} />
        <Problem error={add.error} />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" isBusy={add.isRunning}>
            Add
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
