/** Who is asking: from the credentials of a request to a caller with grants. */
import { type Clock, hashSecret, type Permission, problems, type Scope, sameSecret, toMoment } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { type Grant, type Holder, may, roles, sees } from './permissions.ts'
import { anew, type Recall } from './recall.ts'

export type AccessNeeds = {
  readonly db: Db
  readonly now: Clock
  /** Where requests come close together. */
  readonly recall?: Recall
}

/** How the caller came in: a program, the web console, or the command line. */
export type Interface = 'API' | 'UI' | 'CLI'

export type Credential = {
  readonly type: 'key' | 'token' | 'service'
  readonly id: string
  readonly name: string
}

export type Caller = Holder & {
  readonly user: { readonly id: string; readonly email: string }
  readonly credential: Credential
  readonly ip: string
  readonly interface: Interface
}

/** The service acting for itself: first start, demo, disabling a job that fails. */
export const theService: Caller = {
  user: { id: '', email: 'spillway' },
  credential: { type: 'service', id: '', name: 'the service itself' },
  ip: '',
  interface: 'API',
  isSuper: true,
  grants: [],
}

export type Credentials = {
  readonly email: string | undefined
  readonly key: string | undefined
  readonly authorization: string | undefined
}

const emailShape = /^[^\s@"(),:;<>[\\\]]{1,64}@[^\s@"(),:;<>[\\\]]{1,255}$/
const keyShape = /^[0-9a-f]{37}$/
const tokenShape = /^[A-Za-z0-9_-]{40,80}$/

export const isEmail = (text: string): boolean => emailShape.test(text)

/** The caller behind the credentials; each way to be wrong is told apart as the hosted API tells it. */
export async function identify(
  needs: AccessNeeds,
  { email, key, authorization }: Credentials,
  from: { readonly ip: string; readonly interface: Interface },
): Promise<Caller> {
  if (authorization !== undefined) {
    const [, token] = /^Bearer ([^\s]+)$/i.exec(authorization) ?? []
    if (!token || !tokenShape.test(token)) throw problems.malformedAuthorization()
    return { ...(await byToken(needs, hashSecret(token))), ...from }
  }
  if (email === undefined) throw problems.emailMissing()
  if (key === undefined) throw problems.keyMissing()
  if (!emailShape.test(email)) throw problems.malformedEmail()
  if (!keyShape.test(key)) throw problems.malformedKey()
  return { ...(await byKey(needs, email.toLowerCase(), hashSecret(key))), ...from }
}

type Identified = Omit<Caller, 'ip' | 'interface'>

async function byKey({ db, recall = anew }: AccessNeeds, email: string, keyHash: string): Promise<Identified> {
  const found = await recall(`${keyHash} ${email}`, () => findUser(db, email, keyHash))
  if (!found) throw problems.unknownKey()
  return found
}

async function findUser(db: Db, email: string, keyHash: string): Promise<Identified | undefined> {
  const user = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
  // The comparison runs for an unknown address too, so that its time does not tell which addresses are known.
  const matches = sameSecret(keyHash, user?.key_hash ?? '')
  if (!user || !matches) return undefined
  return {
    user: { id: user.id, email: user.email },
    credential: { type: 'key', id: user.id, name: 'API key' },
    isSuper: user.is_super === 1,
    grants: await grantsOf(db, user.id),
  }
}

async function grantsOf(db: Db, user: string): Promise<Grant[]> {
  const memberships = await db
    .selectFrom('members')
    .select(['account_id', 'role'])
    .where('user_id', '=', user)
    .execute()
  return memberships.map(({ account_id, role }) => roleGrant(account_id, role))
}

const roleGrant = (account: string, role: string): Grant => ({
  account,
  zones: null,
  permissions: roles[role as keyof typeof roles] ?? [],
})

async function byToken({ db, now, recall = anew }: AccessNeeds, tokenHash: string): Promise<Identified> {
  const found = await recall(tokenHash, () => findToken(db, tokenHash))
  if (!found || (found.expires !== null && found.expires <= toMoment(now()))) throw problems.invalidToken()
  return found.holder
}

/** A token may do what it was given, as far as its maker may still do it: who loses a role cannot keep it in a token. */
async function findToken(
  db: Db,
  tokenHash: string,
): Promise<{ readonly holder: Identified; readonly expires: string | null } | undefined> {
  const token = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .leftJoin('members', (join) =>
      join.onRef('members.user_id', '=', 'tokens.user_id').onRef('members.account_id', '=', 'tokens.account_id'),
    )
    .selectAll('tokens')
    .select(['users.email', 'users.is_super', 'members.role'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (!token) return undefined
  const account = { kind: 'account', id: token.account_id, account: token.account_id } as const
  const maker = {
    isSuper: token.is_super === 1,
    grants: token.role === null ? [] : [roleGrant(account.id, token.role)],
  }
  const given: readonly Permission[] = JSON.parse(token.permissions)
  const holder: Identified = {
    user: { id: token.user_id, email: token.email },
    credential: { type: 'token', id: token.id, name: token.name },
    isSuper: false,
    grants: [
      {
        account: token.account_id,
        zones: token.zones === null ? null : JSON.parse(token.zones),
        permissions: given.filter((permission) => may(maker, permission, account)),
      },
    ],
  }
  return { holder, expires: token.expires_on }
}

/** The scope of an id in a path, when it exists and the caller may see it; otherwise both look the same. */
export async function findScope(
  { db, recall = anew }: AccessNeeds,
  caller: Holder,
  kind: Scope['kind'],
  id: string,
): Promise<Scope> {
  const scope = await recall(`${kind} ${id}`, () => (kind === 'zone' ? zoneScope(db, id) : accountScope(db, id)))
  if (scope && sees(caller, scope)) return scope
  throw kind === 'zone' ? problems.zoneMissing() : problems.accountMissing()
}

async function zoneScope(db: Db, id: string): Promise<Scope | undefined> {
  const zone = await db.selectFrom('zones').select('account_id').where('id', '=', id).executeTakeFirst()
  return zone && { kind: 'zone', id, account: zone.account_id }
}

async function accountScope(db: Db, id: string): Promise<Scope | undefined> {
  const account = await db.selectFrom('accounts').select('id').where('id', '=', id).executeTakeFirst()
  return account && { kind: 'account', id, account: id }
}
