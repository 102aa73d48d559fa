/** Who may act, and what was done. */
export * from './accounts.ts'
export { type AuditEntry, type AuditQuery, listAudit, record } from './audit.ts'
export {
  type AccessNeeds,
  type Caller,
  type Credentials,
  findScope,
  type Interface,
  identify,
  theService,
} from './callers.ts'
export { type FirstRun, makeFirstTenant } from './first-run.ts'
export { addMember, changeRole, listMembers, removeMember } from './members.ts'
export type { Page, Paged, PageInfo } from './page.ts'
export { may, type Role } from './permissions.ts'
export { makeRecall } from './recall.ts'
export * from './tokens.ts'
export { rollKey, viewUser } from './users.ts'
export * from './zones.ts'
